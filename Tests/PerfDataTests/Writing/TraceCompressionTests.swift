import Foundation
import PerfData
import TestSupport
import Testing

struct TraceCompressionTests {
  /// Events enough for several pieces, with names that differ.
  private func trace() throws -> TraceBuilder {
    var builder = TraceBuilder()
    try builder.capture(time: 1, rootPid: 5)
    var time: UInt64 = 1000
    for turn in 0..<30_000 {
      builder.comm(time: time, pid: 5, tid: 5, name: "turn \(turn)")
      builder.switchIn(time: time + 10, 5)
      builder.exitSyscall(time: time + 20, tid: 5, number: 1, result: turn)
      builder.switchOut(time: time + 30, 5)
      time += 1000
    }
    return builder
  }

  private static func size(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }

  /// What the trace tells, in order: all but what its header says as well, and the ends of rounds.
  private static func records(_ file: PerfDataFile) -> [[UInt8]] {
    file.orderedRecords().filter {
      $0.type != RecordType.headerFeature && $0.type != RecordType.finishedRound
    }.map { file.bytes(of: $0) }
  }

  @Test func `a compressed trace has the same records and features in a fraction of the size`()
    throws
  {
    try trace().withFile { path in
      let before = try PerfDataFile(path: path)
      let records = Self.records(before)
      try #require(records.count >= 120_000)
      let size = try Self.size(path)
      try TraceCompression.compress(traceAt: path)
      let after = try PerfDataFile(path: path)
      #expect(!after.isTruncated && after.problems.isEmpty, "\(after.problems)")
      #expect(Self.records(after) == records)
      // For a recording that is killed: of a finished one the header says it.
      #expect(before.recordCounts[RecordType.headerFeature] ?? 0 > 0)
      #expect(after.recordCounts[RecordType.headerFeature] == nil)
      #expect(after.attributes == before.attributes)
      #expect(after.features.tracingData == before.features.tracingData)
      #expect(after.features.hostname == before.features.hostname)
      let packed = try Self.size(path)
      #expect(packed < size / 4, "\(packed) of \(size)")
      // Once more changes nothing.
      try TraceCompression.compress(traceAt: path)
      #expect(try Self.size(path) == packed)
    }
  }

  /// Rounds as rings are emptied, one CPU after the other, with readings of memory amid them.
  private static func rounds(
    _ count: Int, from start: UInt64 = 1000, beginningWith standing: [UInt8] = []
  ) -> TraceBuilder {
    var builder = TraceBuilder()
    builder.append(standing)
    for tid in [Int32(6), 7] { builder.thread(tid, of: 5) }
    for round in 0..<count {
      let start = start + UInt64(round) * 10_000
      for cpu in [Int32(0), 1] {
        for step in 0..<20 {
          // Both CPUs have some records of the same moments.
          let time = start + UInt64(step) * 100
          let tid = 6 + (Int32(step) + cpu) % 2
          builder.contextSwitch(time: time, tid, .arrived, cpu: cpu)
          builder.exitSyscall(time: time + 40, tid: tid, number: 1, result: step, cpu: cpu)
          builder.waking(time: time + 40, by: tid, of: 5, cpu: cpu)
          builder.contextSwitch(time: time + 70 + UInt64(cpu), tid, .left, cpu: cpu)
        }
        builder.footprint(time: start + 500, pid: 5, anonymous: UInt64(round + 1) << 20)
      }
      builder.append(RecordBuilder.finishedRound())
    }
    return builder
  }

  @Test func `what is alike is packed together, and read in the order in which it stood`() throws {
    try Self.rounds(50).withFile { path in
      let before = try PerfDataFile(path: path)
      let records = Self.records(before)
      try #require(records.count == 50 * 2 * 81)
      try TraceCompression.compress(traceAt: path)
      let after = try PerfDataFile(path: path)
      #expect(after.problems.isEmpty && after.lateRecords == 0)
      #expect(Self.records(after) == records)
      #expect(after.recordCounts[RecordType.finishedRound] == 1)
      // What happened at one moment in several groups is kept as it was, before the others: here all but the
      // departures.
      let packed = after.orderedRecords().sorted { $0.offset < $1.offset }
        .filter { $0.type != RecordType.finishedRound }.suffix(2000)
      #expect(packed.allSatisfy { $0.type == RecordType.contextSwitch })
      let alike = packed.map { [$0.tid, $0.cpu] }
      #expect(zip(alike, alike.dropFirst()).count { $0 != $1 } == 3)
    }
  }

  @Test func `records without a time stay where they are, with all of their rounds`() throws {
    var builder = Self.rounds(5)
    // THREAD_MAP, which perf writes of a process that it attaches to.
    builder.append([73, 0, 0, 0, 0, 0, 16, 0] + [UInt8](repeating: 0, count: 8))
    builder.append(Self.rounds(5, from: 100_000).records)
    try builder.withFile { path in
      let before = try PerfDataFile(path: path)
      let records = Self.records(before)
      try TraceCompression.compress(traceAt: path)
      let after = try PerfDataFile(path: path)
      #expect(Self.records(after) == records)
      #expect(
        after.recordCounts[RecordType.finishedRound]
          == before.recordCounts[RecordType.finishedRound])
    }
  }

  @Test func `parts are one recording after they were compressed too`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    var paths: [String] = []
    for number in 1...3 {
      let start = UInt64(number) * 1_000_000
      var standing = TraceBuilder()
      standing.comm(time: start, pid: 5, tid: 5, name: "program")
      standing.contextSwitch(time: start, 6, .left)
      standing.footprint(time: start, pid: 5, anonymous: 1 << 20)
      var beginning = TraceBuilder()
      try beginning.synthetic(
        PartEvent(
          number: number, standingRecords: number > 1 ? RecordBuilder.count(standing.records) : 0),
        time: start, pid: 5)
      beginning.append(standing.records)
      let path = directory.path + "/" + PartFolder.name(run: "app", number: number)
      try Self.rounds(20, from: start + 1000, beginningWith: beginning.records).write(to: path)
      paths.append(path)
    }
    let records = Self.records(try PerfDataFile(series: paths))
    for path in paths { try TraceCompression.compress(traceAt: path) }
    #expect(Self.records(try PerfDataFile(series: paths)) == records)
    // Of the second and third part what stood is left out, of which the one before tells.
    #expect(records.count == 3 * (20 * 2 * 81 + 1) + 3)
  }

  @Test func `records are not packed where the trace is cut`() throws {
    try trace().withFile { path in
      truncate(path, 100_000)
      #expect(throws: PerfDataError.self) { try TraceCompression.compress(traceAt: path) }
      let size = try Self.size(path)
      #expect(size == 100_000)
    }
  }

  @Test(.enabled(if: Perf.isThere, "perf is not installed"), arguments: ["poller", "sqlite"])
  func `perf prints the same of a compressed trace`(name: String) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/t"
    let kept = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Traces/\(name).perf.data")
    try FileManager.default.copyItem(atPath: kept.path, toPath: path)
    func printed() throws -> String {
      let script = try #require(Perf.run(["perf", "script", "--show-task-events", "-i", path]))
      #expect(script.status == 0)
      return script.text
    }
    let before = try printed()
    try TraceCompression.compress(traceAt: path)
    let after = try printed()
    #expect(before.count > 10_000)
    #expect(after == before)
  }
}
