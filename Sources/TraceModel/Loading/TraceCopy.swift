import PerfData

/// A finished trace of one that may not be.
public enum TraceCopy {
  /// Copies what the files of a recording hold by now, with the names of its functions; nothing may be at the new path
  /// yet. Reports on the copy are of its last seconds, as many as are asked for.
  ///
  /// What was asked for is all there: the copy is no recording that broke off. It begins with the file in which the
  /// first of these seconds is, and with what stood as that began.
  ///
  /// - Parameter reason: who asked, as the report says it.
  /// - Returns: How many seconds there are.
  /// - Throws: `TraceError` when the trace cannot be read, or the copy not written.
  public static func make(
    ofLast seconds: Double, in paths: [String], at copy: String, because reason: String
  ) throws(TraceError) -> Double {
    let kept: Double
    do throws(PerfDataError) {
      let spans = try paths.map { path throws(PerfDataError) in
        times(of: try PerfDataFile(path: path))
      }
      guard let end = spans.compactMap({ $0?.upperBound }).max(),
        let start = spans.compactMap({ $0?.lowerBound }).min()
      else { throw PerfDataError(.unsupported("nothing was recorded yet")) }
      let from = max(start, end - min(end, UInt64(max(0, seconds) * 1e9)))
      kept = Double(end - from) / 1e9
      let place = spans.lastIndex { $0.map { $0.lowerBound <= from } ?? false } ?? 0
      let file = try PerfDataFile(series: Array(paths[place...]))
      let trigger = TriggerEvent(
        kind: .asked, condition: reason, fromNs: from, toNs: end, keptSeconds: seconds)
      try write(file, to: copy, completing: true, adding: record(trigger, of: file, at: end))
    } catch { throw TraceError(error, path: paths.first ?? "") }
    try StackEmbedding.embed(tracePath: copy)
    return kept
  }

  /// When the first and the last record is.
  private static func times(of file: PerfDataFile) -> ClosedRange<UInt64>? {
    let times = file.orderedRecords().lazy.map(\.time).filter { $0 > 0 }
    guard let first = times.min(), let last = times.max() else { return nil }
    return first...last
  }

  private static func record(
    _ trigger: TriggerEvent, of file: PerfDataFile, at time: UInt64
  ) throws(PerfDataError) -> [UInt8] {
    guard
      let attribute = file.attributes.first(where: { SyntheticEvent(attribute: $0) == .trigger }),
      let id = attribute.ids.first
    else { throw PerfDataError(.unsupported("it is no recording of Lull's")) }
    return RecordBuilder.synthetic(
      attribute, id: id, time: time, pid: 0, tid: 0, raw: try trigger.encoded())
  }

  /// Copies the records into a finished file even where the trace is not, so that more can be added.
  static func write(
    _ file: PerfDataFile, to path: String, completing: Bool = false, adding: [UInt8] = []
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
    try writer.append(adding)
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
