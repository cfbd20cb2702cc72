import Foundation
import PerfData
import TestSupport
import Testing

@testable import TraceModel

struct HostileTraceTests {
  /// A fixed seed, and a new one each time.
  static let seeds: [UInt64] = [1, UInt64.random(in: 0 ... .max)]

  static func trace() throws -> [UInt8] {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program", isExec: true)
    builder.mmap(time: second, pid: 100, start: 0x1000, length: 0x1000, path: "/bin/none")
    builder.fork(time: second, pid: 100, tid: 101, parentPid: 100)
    for turn in UInt64(1)...10 {
      let at = second + turn * 10 * millisecond
      builder.waking(time: at, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: at + 1000, 100)
      builder.exitSyscall(time: at + 2000, tid: 100, number: 1, result: 100)
      builder.open(time: at + 3000, tid: 100, path: "/tmp/x", fd: 3)
      builder.blockedStack(
        time: at + 4000, 100, callchain: [CallchainContext.user, 0x1010],
        registers: [1, 2, 0x1010], stack: Array(0..<100))
      try builder.stack(
        time: at + 4000, tid: 100, functions: ["read", "main"], firstID: Int(turn) * 10)
      builder.switchOut(time: at + 4000, 100)
    }
    builder.footprint(time: second + 500 * millisecond, pid: 100, anonymous: 4096)
    builder.exit(time: second + 600 * millisecond, pid: 100, tid: 100)
    return builder.build()
  }

  @Test(arguments: seeds) func `no broken trace makes the loader crash`(seed: UInt64) throws {
    print("TraceModel fuzz seed \(seed)")
    let original = try Self.trace()
    var mutator = StructuralMutator(seed: seed)
    var loaded = 0
    for _ in 0..<600 {
      guard let file = try? PerfDataFile(bytes: mutator.mutate(original)) else { continue }
      var loader = TraceLoader(file: file, path: "fuzz", options: TraceOptions())
      if let trace = try? loader.load() {
        loaded += 1
        for thread in trace.threads { #expect(thread.intervals.allSatisfy { $0.end >= $0.start }) }
      }
    }
    // Most must get past the header, or nothing behind it is tried.
    #expect(loaded > 100, "seed \(seed)")
  }
}
