/// Puts records in order while they are read, holding no more than two rounds.
///
/// perf empties its rings one after another and then writes FINISHED_ROUND: what follows is newer than all that came before the
/// round before. Each ring's part is in order, so ordering is merging.
struct RecordStream {
  /// Records handed out at once at most: few enough to stay in a core's own cache.
  private static let largestPart = 2048
  /// More records than this without a FINISHED_ROUND are ordered in parts.
  private static let mostPending = 1 << 19
  /// Samples whose keys are gathered before they join the others.
  private static let samplesAtOnce = 256

  private var scanner: RecordScanner
  private let range: Range<Int>
  /// By attribute; empty where all samples are wanted.
  private let demands: DemandTable
  private var pending = RunMerger()
  private var entries = EntryRing()
  /// Keys in order, handed out part by part.
  private var ready = ContiguousArray<RecordKey>()
  private var nextReady = 0
  private var firstOfRound = 0
  /// Everything up to here has been handed out.
  private var handedOut: UInt64 = 0
  /// Everything up to here will have been read by the end of this round.
  private var limit: UInt64 = 0
  private var newest: UInt64 = 0
  private var last: UInt64 = 0
  /// Records known to come too late, by time: they were given their place before. Their orders are negative.
  private var expectedLate: [RecordEntry] = []
  /// Their offsets, and those of the ones that are not wanted, ascending.
  private var lateOffsets: [Int] = []
  private var nextLate = 0
  private let knowsLate: Bool
  private var late: [RecordKey] = []
  /// The times of all records read so far that are not ignored.
  private(set) var times = PassTimes()

  init(
    scanner: RecordScanner, range: Range<Int>, late known: [RecordKey]?,
    demands: [SampleDemand] = []
  ) {
    self.scanner = scanner
    self.range = range
    self.demands = DemandTable(demands)
    knowsLate = known != nil
    let known = known ?? []
    lateOffsets = known.map(\.order).sorted()
    for key in known {
      var entry = scanner.entry(at: key.order)
      guard withUnsafeMutablePointer(to: &entry, { isWanted($0) }) else { continue }
      // Of equal times these go first.
      pending.append(RecordKey(time: key.time, order: expectedLate.count - known.count))
      expectedLate.append(entry)
    }
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
    part = Array(unsafeUninitializedCapacity: keys.count) { part, count in
      for place in keys {
        let order = ready[place].order
        part.initializeElement(
          at: count, to: order >= 0 ? entries[order] : expectedLate[order + lateOffsets.count])
        count += 1
      }
    }
    return true
  }

  /// Reads to the end of a round and makes ready what is complete with it; false at the end of all.
  private mutating func readRound() -> Bool {
    entries.release(below: pending.lowest ?? entries.next)
    readSamples()
    // Each is written where it stays, since copies of it would wait for their parts to be written.
    var record = entries.place()
    while scanner.next(record) {
      note(record.pointee)
      if nextLate < lateOffsets.count, lateOffsets[nextLate] == record.pointee.offset {
        nextLate += 1
        continue
      }
      guard isWanted(record) else { continue }
      pending.append(RecordKey(time: last, order: entries.next))
      entries.keep()
      let isRound = record.pointee.type == RecordType.finishedRound
      record = entries.place()
      if isRound {
        return take(upTo: handedOut)
      } else if entries.next - firstOfRound >= Self.mostPending {
        handedOut = newest
        return take(upTo: .max)
      }
      readSamples()
      record = entries.place()
    }
    return take(upTo: .max) && !ready.isEmpty
  }

  /// Reads the samples that come next in a loop that does nothing else.
  private mutating func readSamples() {
    // Records known to be late are few, and so are files that have any.
    guard lateOffsets.isEmpty, scanner.isAtSample else { return }
    withUnsafeTemporaryAllocation(of: RecordKey.self, capacity: Self.samplesAtOnce) { keys in
      guard let keys = keys.baseAddress else { return }
      var isAtSample = true
      while isAtSample {
        let room = min(
          entries.room, Self.samplesAtOnce, Self.mostPending - 1 - (entries.next - firstOfRound))
        guard room > 0 else { return }
        isAtSample = readSamples(upTo: room, keys)
      }
    }
  }

  /// Keeps so many samples; false where something else came before.
  private mutating func readSamples(upTo room: Int, _ keys: UnsafeMutablePointer<RecordKey>)
    -> Bool
  {
    let first = entries.next
    let places = entries.places
    let demands = demands
    let bytes = scanner.bytes
    let bound = knowsLate ? 0 : handedOut
    var kept = 0
    var last = last
    var newest = newest
    var times = times
    var late: [RecordKey] = []
    scanner.nextSamples(places[first]) { record in
      let time = record.pointee.time
      if time != 0 { last = time }
      if last < bound { late.append(RecordKey(time: last, order: record.pointee.offset)) }
      if last > newest { newest = last }
      guard demands.wants(record, bytes, &times) else { return record }
      keys[kept] = RecordKey(time: last, order: first + kept)
      kept += 1
      return kept < room ? places[first + kept] : nil
    }
    self.last = last
    self.newest = newest
    self.times = times
    self.late += late
    entries.keep(kept)
    pending.append(UnsafeBufferPointer(start: keys, count: kept))
    return kept == room
  }

  private mutating func take(upTo time: UInt64) -> Bool {
    firstOfRound = entries.next
    nextReady = 0
    ready = []
    ready = pending.take(upTo: time)
    return true
  }

  /// Follows the time and the rounds, and notes what comes too late.
  @inline(__always)
  private mutating func note(_ record: RecordEntry) {
    if record.time != 0 { last = record.time }
    if last < handedOut, !knowsLate { late.append(RecordKey(time: last, order: record.offset)) }
    if last > newest { newest = last }
    if record.type == RecordType.finishedRound {
      handedOut = max(handedOut, limit)
      limit = newest
    }
  }

  /// Whether a record is to be handed out; reads what was asked for into it.
  @inline(__always)
  private mutating func isWanted(_ record: UnsafeMutablePointer<RecordEntry>) -> Bool {
    guard record.pointee.type == RecordType.sample else {
      times.note(record.pointee.time)
      return true
    }
    guard record.pointee.attribute >= 0 else { return true }
    return demands.wants(record, scanner.bytes, &times)
  }

  /// Reads to the end as the records stand in the file, ordering nothing.
  mutating func readAll<E: Error>(_ visit: (RecordEntry) throws(E) -> Void) throws(E) {
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) {
      try visit(record)
      note(record)
    }
  }
}
