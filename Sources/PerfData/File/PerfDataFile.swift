import Synchronization

/// A perf.data file, of perf's or of Lull's making, ready to be read.
public final class PerfDataFile: Sendable {
  let storage: ByteStorage
  let data: Range<Int>
  private let decoder: EntryDecoder
  let locators: ContiguousArray<PayloadLocator>
  let headerProblems: [String]
  let isUnfinished: Bool
  /// Whether the file would say that records were lost.
  public let tellsLosses: Bool
  private let scanned = Mutex<ScanSummary?>(nil)
  private let doubted = Mutex<(believed: ClosedRange<UInt64>, leftOut: Int)?>(nil)

  /// The events, in the header's order.
  public let attributes: [EventAttribute]
  /// What the header (or, of a killed recording, the early metadata) says.
  public let features: FileFeatures
  /// Opens a file, a directory of `perf record --threads`, or a folder of parts; it must not be cut while it is open.
  ///
  /// Reads what perf writes (to a file or a pipe, compressed or not, of either endianness) and the text of `perf
  /// script`.
  public convenience init(path: String) throws(PerfDataError) {
    try self.init(series: [path])
  }

  /// Opens the files of one recording, in order, as one trace (`perf record --switch-output`).
  public convenience init(series paths: [String]) throws(PerfDataError) {
    try self.init(OffCPUSamples.told(TraceSeries.parts(paths)))
  }

  /// Reads a file's bytes from memory.
  public convenience init(bytes: [UInt8]) throws(PerfDataError) {
    try self.init(OffCPUSamples.told(TraceParts.read(ByteStorage(bytes))))
  }

  /// Reads the parts as they are.
  init(_ parts: TraceParts) {
    storage = parts.storage
    data = parts.data
    isUnfinished = parts.isUnfinished
    tellsLosses = parts.tellsLosses
    var attributes = parts.attributes
    var problems = parts.problems
    decoder = EntryDecoder(storage.bytes, attributes)
    locators = ContiguousArray(attributes.map { PayloadLocator($0) })

    var decoded = parts.decoder
    if !parts.hasFeatures {
      let summary = Self.scan(decoder, storage, data)
      scanned.withLock { $0 = summary }
      if let blob = EarlyMetadata.blob(storage.bytes, parts: summary.earlyMetadata) {
        decoded = blob.withView { blob in
          var early = FeatureDecoder(blob)
          for section in EarlyMetadata.sections(blob) {
            early.decode(section.feature, range: section.range)
          }
          return early
        }
        problems.append("event names and formats are those known when the recording began")
      }
    }
    headerProblems = problems + decoded.problems
    var features = decoded.features
    Self.nameAttributes(&attributes, decoded)
    if features.clockID == nil, let clocked = attributes.first(where: \.usesClockID) {
      features.clockID = Int(clocked.clockID)
    }
    self.attributes = attributes
    self.features = features
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

  func scanner() -> RecordScanner {
    RecordScanner(decoder, in: data)
  }

  /// What a whole pass found; makes one when none was made yet.
  var summary: ScanSummary {
    if let known = knownSummary { return known }
    let summary = Self.scan(decoder, storage, data, believed: believed)
    remember(summary)
    return summary
  }

  var knownSummary: ScanSummary? { scanned.withLock { $0 } }

  func remember(_ summary: ScanSummary) { scanned.withLock { $0 = $0 ?? summary } }

  /// The times that are believed; nil where all are.
  var believed: ClosedRange<UInt64>? { doubted.withLock { $0?.believed } }

  /// Records that are left out for their times, which no clock can have had.
  public var implausibleTimes: Int { doubted.withLock { $0?.leftOut ?? 0 } }

  /// From now on these times alone are believed, so that what was found out by the others is forgotten.
  func believe(_ range: ClosedRange<UInt64>, leavingOut count: Int) {
    doubted.withLock { $0 = (range, count) }
    scanned.withLock { $0 = nil }
  }

  private static func scan(
    _ decoder: EntryDecoder, _ storage: ByteStorage, _ data: Range<Int>,
    believed: ClosedRange<UInt64>? = nil
  ) -> ScanSummary {
    var stream = RecordStream(
      scanner: RecordScanner(decoder, in: data), range: data, storage: storage, late: nil,
      believed: believed)
    stream.readAll()
    return stream.summary
  }

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

  /// The record at a place that was handed out, minimally decoded.
  public func record(at offset: Int) -> RecordEntry {
    var record = RecordEntry(offset: offset, type: 0, size: 8, misc: 0)
    decoder.decode(&record, at: offset)
    return record
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
      (decoder.layouts.indices.contains(index)
      ? decoder.layouts[index] : decoder.layouts.first)?.trailerSize ?? 0
    return ByteCursor(
      storage.bytes, from: range.lowerBound + 8,
      to: max(range.lowerBound + 8, range.upperBound - trailer))
  }
}
