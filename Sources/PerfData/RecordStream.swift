/// Puts records in order while they are read, holding no more than two rounds.
///
/// perf empties its rings one after another and then writes FINISHED_ROUND: what follows is newer than all that came before the
/// round before. Each ring's part is in order, so ordering is merging. What is asked for of frequent samples is read as they are
/// found, while caches hold them; of all others their places are put in order.
struct RecordStream {
  /// More records than this without a FINISHED_ROUND are ordered in parts.
  private let mostPending: Int
  /// Samples that are read before they join the others.
  private static let samplesAtOnce = 256
  /// However few of them are wanted, so many bytes are passed over before their pages are given back.
  private static let bytesAtOnce = 1 << 20

  private var scanner: RecordScanner
  private let decoder: EntryDecoder
  private let range: Range<Int>
  private let demands: DemandTable
  /// Records that only end a round are handed out too.
  private let handsOutRounds: Bool
  private let pending = RunMerger()
  /// Records that joined since some were last made ready.
  private var joined = 0
  private var isOver = false
  private var passed: PassedPages
  /// Everything up to here has been handed out.
  private var handedOut: UInt64 = 0
  /// Everything up to here will have been read by the end of this round.
  private var limit: UInt64 = 0
  private var newest: UInt64 = 0
  private var last: UInt64 = 0
  /// Records known to come too late, which were given their place before, as they stand in the file.
  private var known: [(offset: Int, isWanted: Bool)] = []
  private var nextKnown = 0
  private let knowsLate: Bool
  private var late: [RecordKey] = []
  /// The times of all records read so far that are not ignored.
  private(set) var times = PassTimes()

  /// `demands` are by attribute, and records that only end a round are not among what is asked for then; where there are none, all
  /// records are handed out. A round of `mostBytes` and a twentieth of the trace is put in order at once.
  init(
    scanner: RecordScanner, range: Range<Int>, storage: ByteStorage, late known: [RecordKey]?,
    demands: [SampleDemand] = [], mostBytes: Int = 32 << 20
  ) {
    self.scanner = scanner
    decoder = scanner.decoder
    self.range = range
    passed = PassedPages(storage)
    mostPending = (mostBytes + range.count / 20) / MemoryLayout<OrderedRecord>.stride
    self.demands = DemandTable(demands, decoder)
    handsOutRounds = demands.isEmpty
    knowsLate = known != nil
    var late: [OrderedRecord] = []
    for key in known ?? [] {
      var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
      decoder.decode(&record, at: key.offset)
      let ordered = ordered(record, at: key.time)
      self.known.append((key.offset, ordered != nil))
      if let ordered { late.append(ordered) }
    }
    self.known.sort { $0.offset < $1.offset }
    pending.add(late: late)
  }

  /// What was found, once `nextPart` has given all.
  var summary: ScanSummary {
    ScanSummary(
      unknownRecords: scanner.unknownRecords, recordCounts: scanner.counts,
      tornBytes: range.upperBound - scanner.position,
      dataBytes: scanner.position - range.lowerBound, holes: scanner.holes,
      earlyMetadata: scanner.earlyMetadata, late: late.sorted(by: <))
  }

  /// Writes the records that come next, in order; false at the end.
  mutating func nextPart(_ part: RecordPart) -> Bool {
    while true {
      part.count = pending.next(into: part.base, capacity: RecordPart.capacity)
      part.earliest = times.earliest
      if part.count > 0 { return true }
      guard !isOver else { return false }
      pending.open(upTo: readRound())
      joined = 0
    }
  }

  /// Reads to the end of a round and tells the time up to which all is complete with it.
  private mutating func readRound() -> UInt64 {
    readSamples()
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) {
      note(record)
      if nextKnown < known.count, known[nextKnown].offset == record.offset {
        // It counts, so that a round that is too large ends where it did when this was found.
        joined += known[nextKnown].isWanted ? 1 : 0
        nextKnown += 1
      } else if let ordered = ordered(record, at: last) {
        pending.room(for: 1).pointee = ordered
        pending.add(1)
        joined += 1
      }
      if record.type == RecordType.finishedRound {
        return handedOut
      } else if joined >= mostPending {
        // Of those that were known to come too late, some belong to what comes later.
        handedOut = newest
        return newest
      }
      readSamples()
    }
    isOver = true
    return .max
  }

  /// Reads the samples that come next in a loop that does nothing else.
  private mutating func readSamples() {
    // Records known to be late are few, and so are files that have any.
    guard known.isEmpty else { return }
    var areMore = true
    while areMore {
      let room = min(Self.samplesAtOnce, mostPending - 1 - joined)
      guard room > 0 else { return }
      areMore = readSamples(upTo: room)
      // What was only named is brought back when it is looked at: that is cheaper than to hold a round that is larger than a cache.
      passed.note(scanner.position)
    }
  }

  /// Takes in so many samples at most; false where something else comes next, one that has a peculiarity, or too few are wanted.
  private mutating func readSamples(upTo room: Int) -> Bool {
    let demands = demands
    let place = pending.room(for: room)
    let handedOut = handedOut
    var kept = 0
    var last = last
    var earliest = UInt64.max
    var latest: UInt64 = 0
    let end = scanner.position + Self.bytesAtOnce
    let count = scanner.nextSamples { sample in
      guard kept < room, sample.offset < end,
        let (time, isWanted) = demands.orderPlain(sample, to: place + kept),
        time >= handedOut
      else { return false }
      last = time
      earliest = min(earliest, time)
      latest = max(latest, time)
      kept &+= isWanted
      return true
    }
    self.last = last
    newest = max(newest, latest)
    times.note(earliest, latest, count: count)
    joined += kept
    pending.add(kept)
    return kept == room
  }

  /// Follows the time and the rounds, and notes what comes too late.
  private mutating func note(_ record: RecordEntry) {
    // One without time follows what was handed out: none of an empty round is late.
    last = record.time != 0 ? record.time : max(last, handedOut)
    if last < handedOut, !knowsLate { late.append(RecordKey(time: last, offset: record.offset)) }
    if last > newest { newest = last }
    if record.type == RecordType.finishedRound {
      handedOut = max(handedOut, limit)
      limit = newest
    }
  }

  /// A record on its way, if it is to be handed out; notes its time.
  private mutating func ordered(_ record: RecordEntry, at time: UInt64) -> OrderedRecord? {
    var ordered = OrderedRecord(time: time, offset: record.offset)
    guard record.type == RecordType.sample else {
      times.note(record.time)
      return handsOutRounds || record.type != RecordType.finishedRound ? ordered : nil
    }
    guard record.attribute >= 0 else { return ordered }
    let isWanted = demands.order(
      (record.offset, Int(record.size), record.attribute), time: record.time, at: time, &times,
      to: &ordered)
    return isWanted ? ordered : nil
  }

  /// Reads to the end as the records stand in the file, ordering nothing.
  mutating func readAll() {
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) { note(record) }
  }
}
