/// Puts records in order while they are read, holding no more than two rounds.
///
/// perf empties its rings one after another and then writes FINISHED_ROUND: what follows is newer than all that came before the
/// round before. Each ring's part is in order, so ordering is merging.
struct RecordStream {
  /// Records handed out at once at most: few enough to stay in a core's own cache.
  private static let largestPart = 4096
  /// More records than this without a FINISHED_ROUND are ordered in parts.
  private static let mostPending = 1 << 22

  private var scanner: RecordScanner
  private let range: Range<Int>
  private var pending = RunMerger()
  /// Keys in order, handed out part by part.
  private var ready = ContiguousArray<RecordKey>()
  private var nextReady = 0
  /// Everything up to here has been handed out.
  private var handedOut: UInt64 = 0
  /// Everything up to here will have been read by the end of this round.
  private var limit: UInt64 = 0
  private var newest: UInt64 = 0
  private var last: UInt64 = 0
  /// Records known to come too late, in file order: they were given their place before.
  private let expectedLate: [Int]
  private var nextLate = 0
  private let knowsLate: Bool
  private var late: [RecordKey] = []

  init(scanner: RecordScanner, range: Range<Int>, late known: [RecordKey]?) {
    self.scanner = scanner
    self.range = range
    knowsLate = known != nil
    let known = known ?? []
    expectedLate = known.map(\.offset).sorted()
    for key in known { pending.append(key) }
    pending.endRun()
  }

  /// What was found, once `nextPart` has given all.
  var summary: ScanSummary {
    ScanSummary(
      unknownRecords: scanner.unknownRecords, recordCounts: scanner.counts,
      tornBytes: range.upperBound - scanner.position,
      dataBytes: scanner.position - range.lowerBound, holes: scanner.holes,
      earlyMetadata: scanner.earlyMetadata, late: late.sorted(by: <))
  }

  /// Puts the records that come next, in order, into `part`: a round or a part of one; false at the end.
  mutating func nextPart(_ part: inout [RecordEntry]) -> Bool {
    while nextReady == ready.count {
      guard readRound() else { return false }
    }
    let keys = nextReady..<min(ready.count, nextReady + Self.largestPart)
    nextReady = keys.upperBound
    part.removeAll(keepingCapacity: true)
    part.reserveCapacity(keys.count)
    for place in keys { part.append(scanner.entry(at: ready[place].offset)) }
    return true
  }

  /// Reads to the end of a round and makes ready what is complete with it; false at the end of all.
  private mutating func readRound() -> Bool {
    while let record = scanner.next() {
      note(record)
      if nextLate < expectedLate.count, expectedLate[nextLate] == record.offset {
        nextLate += 1
        continue
      }
      pending.append(RecordKey(time: last, offset: record.offset))
      if record.type == RecordType.finishedRound {
        return take(upTo: handedOut)
      } else if pending.count >= Self.mostPending {
        handedOut = newest
        return take(upTo: .max)
      }
    }
    return take(upTo: .max) && !ready.isEmpty
  }

  private mutating func take(upTo time: UInt64) -> Bool {
    nextReady = 0
    ready = []
    ready = pending.take(upTo: time)
    return true
  }

  /// Follows the time and the rounds, and notes what comes too late.
  @inline(__always)
  private mutating func note(_ record: ScannedRecord) {
    if record.time != 0 { last = record.time }
    if last < handedOut, !knowsLate { late.append(RecordKey(time: last, offset: record.offset)) }
    if last > newest { newest = last }
    if record.type == RecordType.finishedRound {
      handedOut = max(handedOut, limit)
      limit = newest
    }
  }

  /// Reads to the end as the records stand in the file, ordering nothing.
  mutating func readAll<E: Error>(_ visit: (RecordEntry) throws(E) -> Void) throws(E) {
    while let record = scanner.next() {
      try visit(scanner.entry(at: record.offset))
      note(record)
    }
  }
}
