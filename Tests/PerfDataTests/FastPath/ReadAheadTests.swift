import Foundation
import Quantities
import TestSupport
import Testing

@testable import PerfData

/// What two cores read of a file, in chunks and out of turn, is what one reads of its bytes.
struct ReadAheadTests {
  private static let switches = "sched:sched_switch"
  private static let wakes = "sched:sched_waking"
  /// Stands for an event that shows that its thread runs, and nothing else.
  private static let other = "sched:sched_wakeup_new"

  /// Rings of two CPUs in rounds of all sizes, with records amid the samples that are something else, some too late.
  private func trace(_ seed: Int, bytes: Int) -> TraceBuilder {
    var random = SeededGenerator(seed: UInt64(seed))
    var builder = TraceBuilder()
    var time: UInt64 = 1_000_000
    while builder.records.count < bytes {
      let start = time
      let size = Int(random.next() % (seed % 3 == 0 ? 60 : 4000))
      for cpu: Int32 in [0, 1] {
        var now = start
        for _ in 0..<size {
          now += random.next() % 500
          let tid = Int32(1 + random.next() % 4)
          switch random.next() % 5000 {
          case 0: builder.comm(time: now, pid: tid, tid: tid, name: "x")
          case 1 where seed % 4 == 1:
            builder.waking(time: now / 2 + 1, by: tid, of: 5, cpu: cpu)
          case ..<1700:
            builder.switchTask(
              time: now, from: tid, to: Int32(random.next() % 5), cpu: cpu)
          case ..<3400: builder.waking(time: now, by: tid, of: 5, cpu: cpu)
          default: builder.sample(Self.other, time: now, tid: tid, cpu: cpu, raw: [1, 2])
          }
        }
        time = max(time, now)
      }
      builder.append(RecordBuilder.finishedRound())
    }
    return builder
  }

  /// Asks for what a report on schedules does.
  private func demands(_ file: PerfDataFile) throws -> [SampleDemand] {
    try file.attributes.enumerated().map { index, attribute in
      func demand(_ names: [String]) throws -> SampleDemand {
        let payload = try #require(file.fixedPayload(ofAttribute: index))
        let format = try #require(file.features.tracepoints[Int(attribute.config)])
        let fields = try names.map { name in
          try #require(format.field(name).flatMap { IntegerField($0) })
        }
        return SampleDemand(payload: payload, fields[0], fields[1], fields[2])
      }
      switch attribute.name {
      case Self.switches:
        var demand = try demand(["prev_pid", "next_pid", "prev_state"])
        demand.tells = .switch
        return demand
      case Self.wakes:
        var demand = try demand(["pid", "common_flags", "common_flags"])
        demand.tells = .run
        return demand
      case Self.other: return SampleDemand(.run)
      default: return SampleDemand(.name)
      }
    }
  }

  private struct Given: Equatable {
    var time: UInt64
    var offset: Int?
    var tid: Int32
    var values: PayloadValues
    var isShown: Bool

    init(_ record: OrderedRecord) {
      (time, offset, tid) = (record.time, record.offset, record.tid)
      (values, isShown) = (record.values, record.isShown)
    }
  }

  /// Holes of zeros, and bytes that are other ones, where records are.
  private func harm(_ bytes: inout [UInt8], _ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let data = 1 << 16..<3 << 20
    for _ in 0..<seed % 4 {
      let start = Int.random(in: data, using: &random)
      for place in start..<start + Int(random.next() % 300_000) {
        bytes[min(place, data.upperBound)] = 0
      }
    }
    for _ in 0..<seed * 3 {
      bytes[Int.random(in: data, using: &random)] = UInt8(truncatingIfNeeded: random.next())
    }
  }

  @Test(arguments: 0..<12, [false, true])
  func `what is read by two cores is what one reads`(seed: Int, isHarmed: Bool) throws {
    var bytes = trace(seed, bytes: 3 << 20).build()
    if isHarmed { harm(&bytes, seed) }
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("read-ahead-\(UUID().uuidString).perf.data").path
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let mapped = try PerfDataFile(path: path)
    let memory = try PerfDataFile(bytes: bytes)
    let demands = try demands(memory)
    var random = SeededGenerator(seed: UInt64(seed))
    // The second time it is known what comes too late.
    for _ in 0..<2 {
      var wanted: [Given] = []
      var mayName = true
      let times = memory.forEachBatch(demands) { batch in
        wanted += batch.records.map(Given.init)
        return OffsetSpan()
      }
      var given: [Given] = []
      let others = mapped.forEachBatchAhead(demands) { batch in
        given += batch.records.map(Given.init)
        mayName = batch.mayName || !batch.records.contains { $0.offset != nil }
        #expect(mayName)
        // The other core goes on meanwhile, or waits.
        if random.next() % 16 == 0 { usleep(UInt32(random.next() % 2000)) }
        return batch.records.lazy.compactMap(\.offset).reduce(into: OffsetSpan()) { $0.note($1) }
      }
      #expect(given == wanted)
      #expect(times.count == others.count && times.earliest == others.earliest)
      #expect(times.latest == others.latest)
      #expect(mapped.recordCounts == memory.recordCounts)
      #expect(mapped.lateRecords == memory.lateRecords)
      if !isHarmed { #expect((seed % 4 == 1) == (mapped.lateRecords > 0)) }
    }
  }

  /// The kernel maps up to 2 MB around what is looked at: all of the file, where here and there something is.
  @Test func `pages that were looked at are given back`() throws {
    var bytes = trace(2, bytes: 32 << 20).build()
    // All in one round: what stands in its first records may be wanted up to its end.
    let end = RecordBuilder.finishedRound()
    let last = bytes.count - end.count
    for place in stride(from: 0, through: last, by: 8)
    where bytes[place] == end[0] && Array(bytes[place..<place + end.count]) == end {
      bytes[place] = UInt8(RecordType.lastUser)
    }
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("mapped-\(UUID().uuidString).perf.data").path
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try PerfDataFile(path: path)
    var most = 0
    var named = 0
    var batches = 0
    _ = file.forEachBatchAhead(try demands(file)) { batch in
      var lookedAt = OffsetSpan()
      for offset in batch.records.lazy.compactMap(\.offset) {
        lookedAt.note(offset)
        named += file.record(at: offset).size > 0 ? 1 : 0
      }
      batches += 1
      if batches % 8 == 0 { most = max(most, MappedBytes.count(of: path) ?? .max) }
      return lookedAt
    }
    #expect(named > 50 && batches > 50)
    #expect(most < 16 << 20)
  }

  /// Told again what the record before it on its CPU told, a sample is left out; anything that was not looked at may
  /// have changed it.
  @Test(arguments: 0..<20)
  func `that a thread runs is told once`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var builder = TraceBuilder()
    var running: [Int32: Int32] = [:]
    var wanted: [UInt64] = []
    var shown: [UInt64] = []
    for time in UInt64(1)...500 {
      let cpu = Int32(random.next() % 3) * 700
      let tid = Int32(1 + random.next() % 3)
      switch random.next() % 10 {
      case 0:
        builder.comm(time: time, pid: tid, tid: tid, name: "x")
        running = [:]
        wanted.append(time)
      case 1:
        // Of no event that tells it.
        builder.sample("dummy:HG", time: time, tid: tid, cpu: cpu)
        running[cpu] = nil
        wanted.append(time)
      case 2, 3:
        let next = Int32(1 + random.next() % 3)
        builder.switchTask(time: time, from: tid, to: next, cpu: cpu)
        wanted.append(time)
        if running[cpu] == tid { shown.append(time) }
        running[cpu] = next
      case 4, 5:
        builder.waking(time: time, by: tid, of: 9, cpu: cpu)
        wanted.append(time)
        if running[cpu] == tid { shown.append(time) }
        running[cpu] = tid
      default:
        builder.sample(Self.other, time: time, tid: tid, cpu: cpu, raw: [1, 2])
        if running[cpu] != tid { wanted.append(time) }
        running[cpu] = tid
      }
      // CPUs of high numbers are not followed, and samples of them are for the slow way.
      if cpu >= RunningThreads.most { running = [:] }
    }
    let file = try PerfDataFile(bytes: builder.build())
    var given: [UInt64] = []
    var givenShown: [UInt64] = []
    let times = file.forEachBatch(try demands(file)) { batch in
      // What the writer puts before the samples has no time.
      for record in batch.records where record.time > 0 {
        given.append(record.time)
        if record.offset == nil, record.isShown { givenShown.append(record.time) }
      }
      return OffsetSpan()
    }
    #expect(given == wanted)
    #expect(givenShown == shown)
    #expect(times.count == 500)
  }
}
