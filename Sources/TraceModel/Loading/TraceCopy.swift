import PerfData

/// A finished trace of one that may not be.
public enum TraceCopy {
  /// Copies what a trace holds by now, with the names of its functions; nothing may be at the new path yet.
  ///
  /// What was asked for is all there: the copy is no recording that broke off.
  ///
  /// - Throws: `TraceError` when the trace cannot be read, or the copy not written.
  public static func make(of path: String, at copy: String) throws(TraceError) {
    do {
      try write(try PerfDataFile(path: path), to: copy, completing: true)
    } catch { throw TraceError(error, path: path) }
    try StackEmbedding.embed(tracePath: copy)
  }

  /// Copies the records into a finished file even where the trace is not, so that more can be added.
  static func write(
    _ file: PerfDataFile, to path: String, completing: Bool = false
  ) throws(PerfDataError) {
    let features = file.features
    let writer = try PerfDataWriter(path: path, attributes: file.attributes, features: features)
    let entries = file.orderedRecords().sorted { $0.offset < $1.offset }
    let captures = completing ? entries.filter { isCapture($0, file) } : []
    for entry in entries
    where entry.type != RecordType.auxtrace && entry.type != RecordType.headerFeature
      && entry.type != RecordType.tracingData
    {
      let bytes = file.bytes(of: entry)
      let isLast = entry.offset == captures.last?.offset
      try writer.append(isLast ? completed(bytes) : bytes)
    }
    try writer.finish(features: features)
  }

  private static func isCapture(_ entry: RecordEntry, _ file: PerfDataFile) -> Bool {
    file.attribute(of: entry).flatMap { SyntheticEvent(attribute: $0) } == .capture
  }

  /// What is told of a recording at its beginning or meanwhile, as if at its end.
  private static func completed(_ record: [UInt8]) -> [UInt8] {
    // Of the same length, so that nothing else of the record changes: a space more is no other JSON.
    let (before, after) = (Array("\"complete\":false".utf8), Array("\"complete\":true ".utf8))
    guard let found = record.firstRange(of: before) else { return record }
    var record = record
    record.replaceSubrange(found, with: after)
    return record
  }
}
