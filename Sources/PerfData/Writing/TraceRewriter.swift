/// Makes a changed copy of a trace, for redaction and for foreign traces.
public enum TraceRewriter {
  /// Copies a trace, passing each record and the features through the caller's changes.
  ///
  /// `transform` gets a whole record and gives the record to write instead (which may be longer or
  /// shorter, and stays whole; or several in a row), or nil to leave it out. Records keep their
  /// order. Records with data outside themselves (hardware traces) and the early metadata are left
  /// out; the latter are made again from the changed features.
  public static func rewrite(
    pathIn: String, pathOut: String,
    attributes changeAttributes: (inout [EventAttribute]) -> Void = { _ in },
    transform: (_ record: [UInt8], _ entry: RecordEntry) throws -> [UInt8]?,
    features changeFeatures: (inout FileFeatures) -> Void
  ) throws {
    try rewrite(
      PerfDataFile(path: pathIn), pathOut: pathOut, attributes: changeAttributes,
      transform: transform, features: changeFeatures)
  }

  /// Copies an open trace, passing each record and the features through the caller's changes.
  public static func rewrite(
    _ file: PerfDataFile, pathOut: String,
    attributes changeAttributes: (inout [EventAttribute]) -> Void = { _ in },
    transform: (_ record: [UInt8], _ entry: RecordEntry) throws -> [UInt8]?,
    features changeFeatures: (inout FileFeatures) -> Void
  ) throws {
    var features = file.features
    changeFeatures(&features)
    var attributes = file.attributes
    changeAttributes(&attributes)
    let writer = try PerfDataWriter(path: pathOut, attributes: attributes, features: features)
    var chunk: [UInt8] = []
    for entry in file.orderedRecords().sorted(by: { $0.offset < $1.offset }) {
      guard entry.type != RecordType.auxtrace, entry.type != RecordType.tracingData,
        !file.isEarlyMetadata(entry),
        let changed = try transform(file.bytes(of: entry), entry)
      else { continue }
      try check(changed, entry)
      chunk += changed
      if chunk.count > 1 << 20 {
        try writer.append(chunk)
        chunk.removeAll(keepingCapacity: true)
      }
    }
    try writer.append(chunk)
    // A copy of a cut trace must not pass for a whole one: it stays unfinished, with its features
    // in the early metadata.
    if !file.isTruncated { try writer.finish(features: features) }
  }

  /// One record, or several in a row.
  private static func check(_ record: [UInt8], _ entry: RecordEntry) throws(PerfDataError) {
    var at = 0
    while at < record.count {
      let size = at + 8 <= record.count ? Int(record[at + 6]) | Int(record[at + 7]) << 8 : 0
      guard size >= 8, at + size <= record.count else {
        throw PerfDataError(
          .notWritable("a changed record of \(record.count) bytes whose header says otherwise"),
          offset: entry.offset)
      }
      at += size
    }
  }
}

extension PerfDataFile {
  /// Whether a record is part of what the writer puts first for killed recordings.
  func isEarlyMetadata(_ record: RecordEntry) -> Bool {
    guard let range = range(of: record) else { return false }
    return EarlyMetadata.isPart(
      storage.bytes, type: record.type, offset: range.lowerBound, size: range.count)
  }
}
