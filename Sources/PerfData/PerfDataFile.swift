/// A perf.data file, of perf's or of Lull's making, ready to be read.
public final class PerfDataFile: Sendable {
  let storage: ByteStorage
  private let entries: [RecordEntry]
  private let trailerSizes: [Int]

  /// The events, in the header's order.
  public let attributes: [EventAttribute]
  /// What the header (or, of a killed recording, the early metadata) says.
  public let features: FileFeatures
  /// Whether the recording was not finished, the tail was torn, or features are missing.
  public let isTruncated: Bool
  /// What is missing and why, in words; empty for a whole trace.
  public let problems: [String]
  /// Records of types that this version does not know, and samples of unknown events.
  public let unknownRecords: Int
  /// Bytes at the end of the data that belong to no whole record.
  public let tornBytes: Int
  /// Whole records by type (`RecordType`).
  public let recordCounts: [UInt32: Int]
  /// Bytes of whole records.
  public let dataBytes: Int

  /// Opens a file; it must not be cut while it is open.
  public convenience init(path: String) throws(PerfDataError) {
    try self.init(storage: ByteStorage(path: path))
  }

  /// Reads a file's bytes from memory.
  public convenience init(bytes: [UInt8]) throws(PerfDataError) {
    try self.init(storage: ByteStorage(bytes))
  }

  private init(storage: ByteStorage) throws(PerfDataError) {
    self.storage = storage
    let bytes = storage.bytes
    let header = try FileHeader(bytes)
    var attributes = try EventAttribute.list(bytes, header: header)
    guard !attributes.isEmpty else {
      throw PerfDataError(.malformed("the trace has no event attributes"), offset: 24)
    }
    var problems: [String] = []
    let layout = try Self.locate(header, bytes, &problems)
    var truncated = !problems.isEmpty

    var scanner = RecordScanner(bytes, attributes: attributes)
    try scanner.scan(layout.data)
    tornBytes = layout.data.upperBound - scanner.end
    if tornBytes > 0 {
      truncated = true
      problems.append("\(tornBytes) bytes at the end of the data are no whole record")
    }

    var decoder = FeatureDecoder(bytes)
    for section in layout.features ?? [] { decoder.decode(section.feature, range: section.range) }
    if layout.features == nil,
      let blob = EarlyMetadata.blob(bytes, parts: scanner.earlyMetadata)
    {
      decoder = blob.withUnsafeBytes { blob in
        var early = FeatureDecoder(blob)
        for section in EarlyMetadata.sections(blob) {
          early.decode(section.feature, range: section.range)
        }
        return early
      }
      problems.append("event names and formats are those known when the recording began")
    }
    problems += decoder.problems
    var features = decoder.features
    Self.nameAttributes(&attributes, decoder)
    if features.clockID == nil, let clocked = attributes.first(where: \.usesClockID) {
      features.clockID = Int(clocked.clockID)
    }

    self.attributes = attributes
    self.features = features
    self.problems = problems
    isTruncated = truncated
    unknownRecords = scanner.unknownRecords
    recordCounts = scanner.counts
    dataBytes = scanner.end - layout.data.lowerBound
    trailerSizes = attributes.map { RecordScanner.trailerSize($0) }
    entries = Self.ordered(scanner.entries)
  }

  /// Where the data and the feature sections are; says in `problems` what is not as it should be.
  private static func locate(
    _ header: FileHeader, _ bytes: UnsafeRawBufferPointer, _ problems: inout [String]
  ) throws(PerfDataError) -> (
    data: Range<Int>, features: [(feature: Int, range: Range<Int>)]?
  ) {
    guard header.data.offset <= UInt64(bytes.count) else {
      throw PerfDataError(
        .outOfBounds(
          what: "the start of the data section", needed: header.data.offset,
          available: bytes.count), offset: 40)
    }
    let start = Int(header.data.offset)
    if header.data.size == 0 {
      if !header.features.isEmpty, let table = header.featureTable(in: bytes, at: start) {
        return (start..<start, table)
      }
      problems.append("the recording was not finished (killed, or the disk was full)")
      return (start..<bytes.count, nil)
    }
    guard let data = header.data.range(in: bytes.count) else {
      let missing = header.data.size - UInt64(bytes.count - start)
      problems.append("the file is cut: \(missing) bytes of data and all features are missing")
      return (start..<bytes.count, nil)
    }
    let table = header.featureTable(in: bytes, at: data.upperBound)
    if table == nil { problems.append("the file is cut: header features are missing") }
    return (data, table)
  }

  private static func nameAttributes(
    _ attributes: inout [EventAttribute], _ decoder: FeatureDecoder
  ) {
    for index in attributes.indices {
      let byID = attributes[index].ids.first.flatMap { decoder.namesByID[$0] }
      let byOrder = decoder.names.count == attributes.count ? decoder.names[index] : nil
      attributes[index].name =
        byID ?? byOrder
        ?? attributes[index].fallbackName(tracepoints: decoder.features.tracepoints)
    }
  }

  /// Orders by time; a record without time goes with the one before it in the file.
  private static func ordered(_ entries: [RecordEntry]) -> [RecordEntry] {
    var keys: [(time: UInt64, index: Int)] = []
    keys.reserveCapacity(entries.count)
    var last: UInt64 = 0
    var sorted = true
    var previous: UInt64 = 0
    for (index, entry) in entries.enumerated() {
      if entry.time != 0 { last = entry.time }
      sorted = sorted && last >= previous
      previous = last
      keys.append((last, index))
    }
    guard !sorted else { return entries }
    keys.sort { $0.time != $1.time ? $0.time < $1.time : $0.index < $1.index }
    return keys.map { entries[$0.index] }
  }

  /// All whole records by time; a record without time keeps the place of its predecessor.
  public func orderedRecords() -> [RecordEntry] { entries }

  /// The attribute of a record.
  public func attribute(of record: RecordEntry) -> EventAttribute? {
    let index = Int(record.attribute)
    return attributes.indices.contains(index) ? attributes[index] : nil
  }

  /// The tracepoint layout of a record's event.
  public func tracepoint(of record: RecordEntry) -> TracepointFormat? {
    guard let attribute = attribute(of: record), attribute.type == 2,
      let id = Int(exactly: attribute.config)
    else { return nil }
    return features.tracepoints[id]
  }

  /// The whole record, its header included.
  public func bytes(of record: RecordEntry) -> [UInt8] {
    guard let range = range(of: record) else { return [] }
    return [UInt8](storage.bytes[range])
  }

  /// The range of a record in the file; nil for an entry that is not of this file.
  func range(of record: RecordEntry) -> Range<Int>? {
    guard record.offset >= 0, record.size >= 8, record.offset <= storage.count,
      Int(record.size) <= storage.count - record.offset
    else { return nil }
    return record.offset..<record.offset + Int(record.size)
  }

  /// A cursor over the body of a record that is no sample, without its sample id.
  func body(of record: RecordEntry) -> ByteCursor? {
    guard let range = range(of: record) else { return nil }
    let index = Int(record.attribute)
    let trailer =
      trailerSizes.indices.contains(index) ? trailerSizes[index] : trailerSizes.first ?? 0
    return ByteCursor(
      storage.bytes, from: range.lowerBound + 8,
      to: max(range.lowerBound + 8, range.upperBound - trailer))
  }
}
