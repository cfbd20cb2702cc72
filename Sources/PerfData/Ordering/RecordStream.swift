/// Puts records in order while they are read, holding no more than two rounds.
///
/// perf empties its rings one after another and then writes FINISHED_ROUND: what follows is newer than all that came
/// before the round before. What comes of each ring is in order, so ordering is merging. What is asked for of frequent
/// samples is read as they are found, while caches hold them; of all others their places are put in order.
struct RecordStream {
  /// More records than this without a FINISHED_ROUND are ordered in steps.
  private let mostPending: Int
  /// Samples that are read before they join the others.
  private static let samplesAtOnce = 1024

  private var scanner: RecordScanner
  private let decoder: EntryDecoder
  private let demands: PlanTable
  private let data: RecordData
  private let grid: ChunkGrid
  /// The chunk that is read; -1 before the first.
  private var chunk = -1
  /// Where another core reads ahead, and what it read of the present chunk and is still to be taken in.
  private let readAhead: ReadAhead?
  private var ahead: (runs: ArraySlice<ReadChunk.Run>, records: UnsafePointer<OrderedRecord>)?
  private let loop: SampleLoop
  /// Records that only end a round are handed out too.
  private let handsOutRounds: Bool
  private let pending = RunMerger()
  /// Some records are only named of those that are made ready: of what was read before, and of what was read last, of
  /// which some wait.
  private var waitingNamed = (isOpen: true, isLater: true)
  /// Where an end of a round was found ahead.
  private var roundAhead: Int?
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
  /// Records of other times are left out.
  private let believed: ClosedRange<UInt64>?
  private var late: [RecordKey] = []
  /// The times of all records read so far that are not ignored.
  private(set) var times = RecordTimes()

  /// `demands` are by attribute, and records that only end a round are not among what is asked for then; where there
  /// are none, all records are handed out. A `readAhead`, in which another core reads ahead, brings its own. A round of
  /// `mostBytes` and a twentieth of the trace is put in order at once. Of times that are not `believed` no record is
  /// handed out.
  init(
    scanner: RecordScanner, range: Range<Int>, storage: ByteStorage, late known: [RecordKey]?,
    believed: ClosedRange<UInt64>? = nil, demands: [SampleDemand] = [],
    readAhead: ReadAhead? = nil, mostBytes: Int = 32 << 20, holding: PassedPages.Holding = .usual
  ) {
    self.believed = believed
    self.scanner = scanner
    decoder = scanner.decoder
    passed = PassedPages(storage, holding)
    mostPending = (mostBytes + range.count / 20) / MemoryLayout<OrderedRecord>.stride
    self.demands = readAhead?.demands ?? PlanTable(demands, decoder)
    self.readAhead = readAhead
    data = RecordData(storage, range)
    grid = ChunkGrid(data: range)
    loop = SampleLoop(self.demands)
    handsOutRounds = self.demands.isEmpty
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

  /// What was found, once `nextBatch` has given all.
  var summary: ScanSummary {
    ScanSummary(
      unknownRecords: scanner.unknownRecords, recordCounts: scanner.counts,
      tornBytes: data.range.upperBound - scanner.position,
      dataBytes: scanner.position - data.range.lowerBound, holes: scanner.holes,
      earlyMetadata: scanner.earlyMetadata, late: late.sorted(by: <))
  }

  /// Writes the records that come next, in order, as many as are worth another core's time; false at the end.
  mutating func nextBatch(_ batch: RecordBatch) -> Bool {
    batch.count = 0
    batch.mayName = false
    while batch.count <= RecordBatch.capacity / 2 {
      let count = pending.next(
        into: batch.base + batch.count, capacity: RecordBatch.capacity - batch.count)
      if count > 0 {
        batch.count += count
        batch.mayName =
          batch.mayName || !known.isEmpty || waitingNamed.isOpen || waitingNamed.isLater
      } else if isOver {
        break
      } else {
        waitingNamed = (waitingNamed.isLater, false)
        pending.open(upTo: readRound())
        joined = 0
      }
    }
    batch.earliest = times.earliest
    return batch.count > 0
  }

  /// Reads to the end of a round and tells the time up to which all is complete with it.
  private mutating func readRound() -> UInt64 {
    readSamples()
    if passRound() { return handedOut }
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) {
      if let believed, record.time > 0, !believed.contains(record.time) { continue }
      note(record)
      if demands.followsRuns, record.type != RecordType.finishedRound { loop.running.forget() }
      if nextKnown < known.count, known[nextKnown].offset == record.offset {
        // It counts, so that a round that is too large ends where it did when this was found.
        joined += known[nextKnown].isWanted ? 1 : 0
        nextKnown += 1
      } else if let ordered = ordered(record, at: last) {
        pending.room(for: 1).pointee = ordered
        pending.add(1)
        waitingNamed.isLater = true
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
      if passRound() { return handedOut }
    }
    isOver = true
    return .max
  }

  /// Passes over the end of a round, where one comes next.
  private mutating func passRound() -> Bool {
    guard known.isEmpty, !handsOutRounds,
      isBeforeRoundAhead || data.isRoundEnd(scanner.position)
    else { return false }
    scanner.passRound()
    last = max(last, handedOut)
    endRound()
    return true
  }

  /// What was read ahead says that the end of a round comes next.
  private var isBeforeRoundAhead: Bool { roundAhead == scanner.position }

  private mutating func endRound() {
    handedOut = max(handedOut, limit)
    limit = newest
  }

  /// Reads the samples that come next in a loop that does nothing else.
  private mutating func readSamples() {
    // Records known to be late are few, and so are files that have any, or times that are not believed.
    guard known.isEmpty, believed == nil else { return }
    var areMore = true
    while areMore, scanner.position < data.range.upperBound {
      let number = grid.number(of: scanner.position)
      if number != chunk {
        chunk = number
        loop.running.forget()
        ahead = readAhead?.take(number).map { ($0.runs[...], UnsafePointer($0.records)) }
      }
      if takeAhead() {
        passed.note(scanner.position)
        continue
      }
      if isBeforeRoundAhead { return }
      let room = min(Self.samplesAtOnce, mostPending - 1 - joined)
      guard room > 0 else { return }
      areMore = readSamples(upTo: room)
      // What was only named is mapped again when it is looked at: that is cheaper than to hold a round that is larger
      // than a cache.
      passed.note(scanner.position)
    }
  }

  /// Reads so many samples at most; false where something else comes next, or one that has a peculiarity.
  private mutating func readSamples(upTo room: Int) -> Bool {
    var position = scanner.position
    let run = loop.read(
      data, &position, before: grid.range(chunk).upperBound, least: handedOut,
      to: pending.room(for: room), room: room)
    takeIn(run, upTo: position)
    switch run.ending {
    case .full, .older: return true
    case .cut: return position >= grid.range(chunk).upperBound
    case .other:
      if demands.followsRuns { loop.running.forget() }
      return false
    }
  }

  /// Takes in samples that were read ahead, if they begin where they should and are neither too late nor too much;
  /// false where there are none.
  private mutating func takeAhead() -> Bool {
    guard let (runs, records) = ahead, let run = runs.first else { return false }
    guard run.range.lowerBound == scanner.position,
      run.samples.count == 0 || run.samples.first >= handedOut,
      joined + run.samples.wanted < mostPending
    else {
      ahead = nil
      return false
    }
    let kept = run.samples.kept
    pending.room(for: kept).update(from: records, count: kept)
    takeIn(run.samples, upTo: run.range.upperBound)
    roundAhead = run.endsRound ? run.range.upperBound : nil
    ahead = (runs.dropFirst(), records + kept)
    return true
  }

  /// Takes in samples that were written to the room that was given.
  private mutating func takeIn(_ run: SampleLoop.Run, upTo position: Int) {
    scanner.pass(samples: run.count, to: position)
    if run.named > 0 { waitingNamed.isLater = true }
    guard run.count > 0 else { return }
    last = run.last
    newest = max(newest, run.last)
    times.note(run.first, run.last, count: run.count)
    joined += run.wanted
    pending.add(run.kept)
  }

  /// Follows the time and the rounds, and notes what comes too late.
  private mutating func note(_ record: RecordEntry) {
    // One without time follows what was handed out: none of an empty round is late.
    last = record.time != 0 ? record.time : max(last, handedOut)
    if last < handedOut, !knowsLate { late.append(RecordKey(time: last, offset: record.offset)) }
    if last > newest { newest = last }
    if record.type == RecordType.finishedRound { endRound() }
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
    while scanner.next(&record) {
      passed.note(record.offset)
      if let believed, record.time > 0, !believed.contains(record.time) { continue }
      note(record)
    }
  }
}
