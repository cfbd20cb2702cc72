import Quantities
import TestSupport
import Testing

@testable import PerfData

struct OrderingTests {
  /// Each record is told from all others by its offset, its place in the file.
  private func record(_ time: UInt64, _ offset: Int) -> OrderedRecord {
    OrderedRecord(time: time, offset: offset)
  }

  private func all(_ merger: RunMerger, capacity: Int) -> [OrderedRecord] {
    var result: [OrderedRecord] = []
    let part = UnsafeMutablePointer<OrderedRecord>.allocate(capacity: capacity)
    defer { part.deallocate() }
    while true {
      let count = merger.next(into: part, capacity: capacity)
      guard count > 0 else { return result }
      #expect(count <= capacity)
      result += UnsafeBufferPointer(start: part, count: count)
    }
  }

  private func add(_ records: [OrderedRecord], to merger: RunMerger) {
    // What is added at once ascends.
    var rest = records[...]
    while let first = rest.first {
      var last = first.time
      let some = rest.prefix(100).prefix { record in
        defer { last = record.time }
        return record.time >= last
      }
      let room = merger.room(for: some.count)
      for (place, record) in some.enumerated() { room[place] = record }
      merger.add(some.count)
      rest = rest.dropFirst(some.count)
    }
  }

  /// Runs of several lengths, with many equal times; the last two are so many that all are merged at once.
  @Test(arguments: [1, 2, 3, 5, 32, 33, 300])
  func `runs are merged as a stable sort would`(runs: Int) {
    var random = SeededGenerator(seed: UInt64(runs))
    let merger = RunMerger()
    var waiting: [OrderedRecord] = []
    var offset = 0
    for round in 1...5 {
      var added: [OrderedRecord] = []
      for run in 0..<runs {
        let count = run % 3 == 2 ? 2 : Int(random.next() % 2000)
        let times = (0..<count).map { _ in UInt64(round) * 100 + random.next() % 150 }.sorted()
        for time in times {
          added.append(record(time, offset))
          offset += 8
        }
      }
      add(added, to: merger)
      waiting += added
      let limit = round == 5 ? UInt64.max : UInt64(round) * 100 + 99
      merger.open(upTo: limit)
      let wanted = waiting.filter { $0.time <= limit }.sorted {
        ($0.time, $0.offset ?? 0) < ($1.time, $1.offset ?? 0)
      }
      waiting.removeAll { $0.time <= limit }
      let given = all(merger, capacity: 2048)
      #expect(given.map(\.time) == wanted.map(\.time))
      #expect(given.map(\.offset) == wanted.map(\.offset), "round \(round)")
    }
    #expect(waiting.isEmpty)
  }

  @Test func `what stays of one ring does not go before what comes of another`() {
    let merger = RunMerger()
    add([record(1, 0), record(110, 8), record(2, 16), record(90, 24)], to: merger)
    merger.open(upTo: 100)
    #expect(all(merger, capacity: 64).map(\.time) == [1, 2, 90])
    // Later than the last that was read, earlier than what stayed.
    add([record(105, 32)], to: merger)
    merger.open(upTo: .max)
    #expect(all(merger, capacity: 64).map(\.time) == [105, 110])
  }

  @Test func `what was known to come late goes behind others of its time`() {
    let merger = RunMerger()
    merger.add(late: [record(5, 800), record(5, 808), record(50, 816)])
    #expect(all(merger, capacity: 64).isEmpty)
    add([record(5, 0), record(6, 8), record(50, 16)], to: merger)
    merger.open(upTo: 10)
    #expect(all(merger, capacity: 64).map(\.offset) == [0, 800, 808, 8])
    add([record(60, 24)], to: merger)
    merger.open(upTo: .max)
    #expect(all(merger, capacity: 64).map(\.offset) == [16, 816, 24])
  }

  private func file(_ rounds: [[UInt64]]) throws -> PerfDataFile {
    var builder = TraceBuilder()
    for round in rounds {
      for time in round { builder.sample("sched:sched_waking", time: 1000 + time, tid: 5) }
      builder.append(RecordBuilder.finishedRound())
    }
    return try PerfDataFile(bytes: builder.build())
  }

  @Test func `a round without records is not late`() throws {
    // The newest of the first round is not the last that was read.
    let file = try file([[1], [100, 90], [], [], [], [200]])
    let times = file.orderedRecords().filter { $0.type == RecordType.sample }.map(\.time)
    #expect(times == [1001, 1090, 1100, 1200] && file.lateRecords == 0)
  }

  /// Rings of one round, of which each goes on before the one before it does.
  @Test(arguments: 0..<100)
  func `a round that is too large for memory is put in order all the same`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let times = (0..<5 + seed % 6).flatMap { ring in
      (0..<60).map { _ in UInt64(ring) * 1000 + random.next() % 3000 }.sorted()
    }
    let file = try file([[1], times])
    var late: [RecordKey]?
    var given: [UInt64] = []
    for pass in 1...2 {
      // Room for some tens.
      var stream = RecordStream(
        scanner: file.scanner(), range: file.data, storage: file.storage, late: late,
        mostBytes: 600)
      given = []
      let part = RecordPart()
      while stream.nextPart(part) { given += part.ordered.records.map(\.time) }
      late = stream.summary.late
      if pass == 1 { #expect(late?.isEmpty == false) }
    }
    #expect(given.count > times.count && given == given.sorted())
  }
}
