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

  @Test func `a compressed trace has the same records and features in a fraction of the size`()
    throws
  {
    try trace().withFile { path in
      let before = try PerfDataFile(path: path)
      let records = before.orderedRecords().map { before.bytes(of: $0) }
      try #require(records.count >= 120_000)
      let size = try Self.size(path)
      try TraceCompression.compress(traceAt: path)
      let after = try PerfDataFile(path: path)
      #expect(!after.isTruncated && after.problems.isEmpty, "\(after.problems)")
      #expect(after.orderedRecords().map { after.bytes(of: $0) } == records)
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
