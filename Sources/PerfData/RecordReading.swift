extension PerfDataFile {
  /// Hands out all whole records in order of time, some thousands at a time, in one pass.
  ///
  /// A record without time keeps the place of its predecessor. Of a file that breaks the promise of its FINISHED_ROUND records,
  /// the first pass gives those that are too late when they come (`lateRecords` tells how many); every later pass gives them in
  /// order.
  public func forEachRound<E: Error>(_ body: ([RecordEntry]) throws(E) -> Void) throws(E) {
    _ = try forEachPart([]) { (records, _) throws(E) in try body(records) }
  }

  /// Hands out all whole records as they stand in the file, in one pass, after which their order is known.
  public func forEachRecord<E: Error>(_ body: (RecordEntry) throws(E) -> Void) throws(E) {
    var stream = RecordStream(scanner: scanner(), range: data, late: nil)
    var passed = PassedPages(storage)
    try stream.readAll { (record) throws(E) in
      try body(record)
      passed.note(record.offset)
    }
    remember(stream.summary)
    storage.release(data)
  }

  /// All whole records by time; a record without time keeps the place of its predecessor.
  public func orderedRecords() -> [RecordEntry] {
    _ = summary
    var entries: [RecordEntry] = []
    forEachRound { entries += $0 }
    return entries
  }

  /// Whether a whole pass was made, so that the next one gives every record in its place.
  public var isOrderKnown: Bool { knownSummary != nil }
  /// Records that are older than what their place in the file promised.
  public var lateRecords: Int { summary.late.count }
  /// Whether the recording was not finished, records are torn, or features are missing.
  public var isTruncated: Bool {
    let summary = summary
    return isUnfinished || summary.tornBytes > 0 || !summary.holes.isEmpty
  }
  /// What is missing and why, in words; empty for a whole trace.
  public var problems: [String] { headerProblems + summary.problems }
  /// Records of types that this version does not know, and samples of unknown events.
  public var unknownRecords: Int { summary.unknownRecords }
  /// Bytes at the end of the data that belong to no whole record.
  public var tornBytes: Int { summary.tornBytes }
  /// Whole records by type (`RecordType`).
  public var recordCounts: [UInt32: Int] { summary.recordCounts }
  /// Bytes of whole records.
  public var dataBytes: Int { summary.dataBytes }
}
