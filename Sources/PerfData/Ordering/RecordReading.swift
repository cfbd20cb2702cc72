extension PerfDataFile {
  /// Hands out all whole records in order of time, some thousands at a time, in one pass.
  ///
  /// A record without time keeps the place of its predecessor. Of a file that breaks the promise of its FINISHED_ROUND
  /// records, the first pass gives those that are too late when they come (`lateRecords` tells how many); every later
  /// pass gives them in order.
  public func forEachRound<E: Error>(_ body: ([RecordEntry]) throws(E) -> Void) throws(E) {
    var round: [RecordEntry] = []
    _ = try forEachBatch([]) { (batch) throws(E) in
      let records = batch.records
      round.removeAll(keepingCapacity: true)
      for place in records.indices {
        if let later = records[min(place + 8, records.count - 1)].offset { fetch(later) }
        if let offset = records[place].offset { round.append(record(at: offset)) }
      }
      try body(round)
      return round.reduce(into: OffsetSpan()) { $0.note($1.offset) }
    }
  }

  /// Hands out the samples of some attributes, those that are true in the list, as they stand in the file.
  public func forEachSample<E: Error>(
    ofAttributes isWanted: [Bool], _ body: (RecordEntry) throws(E) -> Void
  ) throws(E) {
    var scanner = scanner()
    var passed = PassedPages(storage, .little)
    defer { storage.release(data) }
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while let found = scanner.nextWhole() {
      passed.note(found.offset)
      guard found.type == RecordType.sample else { continue }
      let attribute = Int(scanner.decoder.attribute(ofSampleAt: found.offset, found.size))
      guard isWanted.indices.contains(attribute), isWanted[attribute] else { continue }
      scanner.decoder.decode(&record, at: found.offset)
      try body(record)
    }
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
