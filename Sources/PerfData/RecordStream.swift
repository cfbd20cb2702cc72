import CPrefetch

/// Puts records in order while they are read, holding no more than two rounds.
///
/// perf empties its rings one after another and then writes FINISHED_ROUND: what follows is newer than all that came before the
/// round before. Each ring's part is in order, so ordering is merging. What is merged is where records are and their times alone;
/// they are decoded as they are handed out, while caches still hold them.
struct RecordStream {
  /// Records handed out at once at most: few enough to stay in a core's own cache.
  private static let largestPart = 2048
  /// More records than this without a FINISHED_ROUND are ordered in parts.
  private static let mostPending = 1 << 19
  /// Samples whose keys are gathered before they join the others.
  private static let samplesAtOnce = 256
  /// The parts of several rings alternate as they are handed out, which the processor does not foresee: so many records ahead.
  private static let lookahead = 8

  private var scanner: RecordScanner
  private let decoder: EntryDecoder
  private let range: Range<Int>
  /// By attribute; empty where all samples are wanted.
  private let demands: DemandTable
  private var pending = RunMerger()
  /// Keys that joined since keys were last taken.
  private var joined = 0
  /// Keys in order, handed out part by part.
  private var ready = ContiguousArray<RecordKey>()
  private var nextReady = 0
  /// Everything up to here has been handed out.
  private var handedOut: UInt64 = 0
  /// Everything up to here will have been read by the end of this round.
  private var limit: UInt64 = 0
  private var newest: UInt64 = 0
  private var last: UInt64 = 0
  /// Offsets of records known to come too late, which were given their place before, ascending.
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
    decoder = scanner.decoder
    self.range = range
    self.demands = DemandTable(demands)
    knowsLate = known != nil
    let known = known ?? []
    lateOffsets = known.map(\.offset).sorted()
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    for key in known {
      decoder.decode(&record, at: key.offset)
      if isWanted(record) { pending.append(key) }
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
    let places = nextReady..<min(ready.count, nextReady + Self.largestPart)
    nextReady = places.upperBound
    part = Array(unsafeUninitializedCapacity: places.count) { part, count in
      guard let part = part.baseAddress, let base = decoder.bytes.baseAddress else { return }
      ready.withUnsafeBufferPointer { ready in
        for place in places {
          let later = base + ready[min(place + Self.lookahead, ready.count - 1)].offset
          lull_prefetch(later)
          lull_prefetch(later + 64)
          decoder.decode(part + count, ready[place])
          demands.read(part + count, decoder.bytes)
          count += 1
        }
      }
    }
    return true
  }

  /// Reads to the end of a round and makes ready what is complete with it; false at the end of all.
  private mutating func readRound() -> Bool {
    readSamples()
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) {
      note(record)
      if nextLate < lateOffsets.count, lateOffsets[nextLate] == record.offset {
        nextLate += 1
        continue
      }
      guard isWanted(record) else { continue }
      pending.append(RecordKey(time: last, offset: record.offset))
      joined += 1
      if record.type == RecordType.finishedRound {
        return take(upTo: handedOut)
      } else if joined >= Self.mostPending {
        handedOut = newest
        return take(upTo: .max)
      }
      readSamples()
    }
    return take(upTo: .max) && !ready.isEmpty
  }

  /// Reads the samples that come next in a loop that does nothing else.
  private mutating func readSamples() {
    // Records known to be late are few, and so are files that have any.
    guard lateOffsets.isEmpty else { return }
    withUnsafeTemporaryAllocation(of: RecordKey.self, capacity: Self.samplesAtOnce) { keys in
      guard let keys = keys.baseAddress else { return }
      var areMore = true
      while areMore {
        let room = min(Self.samplesAtOnce, Self.mostPending - 1 - joined)
        guard room > 0 else { return }
        areMore = readSamples(upTo: room, keys)
      }
    }
  }

  /// Joins so many samples; false where something else came before.
  private mutating func readSamples(
    upTo room: Int, _ keys: UnsafeMutablePointer<RecordKey>
  ) -> Bool {
    let demands = demands
    let bytes = decoder.bytes
    let bound = knowsLate ? 0 : handedOut
    var kept = 0
    var last = last
    var newest = newest
    var times = times
    var late: [RecordKey] = []
    let isFull = scanner.nextSamples { sample in
      if sample.time != 0 { last = sample.time }
      let key = RecordKey(time: last, offset: sample.offset, attribute: sample.attribute)
      if last < bound { late.append(key) }
      if last > newest { newest = last }
      guard demands.wants(sample, bytes, &times) else { return true }
      keys[kept] = key
      kept += 1
      return kept < room
    }
    self.last = last
    self.newest = newest
    self.times = times
    self.late += late
    joined += kept
    pending.append(UnsafeBufferPointer(start: keys, count: kept))
    return isFull
  }

  private mutating func take(upTo time: UInt64) -> Bool {
    joined = 0
    nextReady = 0
    ready = []
    ready = pending.take(upTo: time)
    return true
  }

  /// Follows the time and the rounds, and notes what comes too late.
  private mutating func note(_ record: RecordEntry) {
    if record.time != 0 { last = record.time }
    if last < handedOut, !knowsLate { late.append(RecordKey(time: last, offset: record.offset)) }
    if last > newest { newest = last }
    if record.type == RecordType.finishedRound {
      handedOut = max(handedOut, limit)
      limit = newest
    }
  }

  /// Whether a record is to be handed out; notes its time.
  private mutating func isWanted(_ record: RecordEntry) -> Bool {
    guard record.type == RecordType.sample else {
      times.note(record.time)
      return true
    }
    guard record.attribute >= 0 else { return true }
    return demands.wants(
      (record.offset, Int(record.size), record.attribute, record.time), decoder.bytes, &times)
  }

  /// Reads to the end as the records stand in the file, ordering nothing.
  mutating func readAll() {
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) { note(record) }
  }
}
