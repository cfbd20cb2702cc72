import Foundation
import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

struct TraceWindowTests {
  @Test func `a window holds what happened in it, at the recording's own times`() throws {
    let trace = try traceOf { builder in
      for step in UInt64(0)..<100 {
        builder.waking(
          time: second + (step * 100 + 10) * millisecond, by: 0, of: 100, context: .hardInterrupt)
        builder.switchIn(time: second + (step * 100 + 11) * millisecond, 100)
        builder.switchOut(time: second + (step * 100 + 31) * millisecond, 100)
      }
      builder.exit(time: second + 10_000 * millisecond, pid: 100, tid: 100)
    }
    let part = trace.limited(to: TraceWindow(from: 2, to: 4))
    #expect(part.wakeups.count == 20)
    #expect(abs(part.subject.cpuSeconds - 0.4) < 1e-9)
    let thread = try #require(part.threads.first { $0.tid == 100 })
    #expect(thread.intervals.first?.start == trace.start + TimeSpan(seconds: 2))
    #expect(thread.intervals.last?.end == trace.start + TimeSpan(seconds: 4))
    #expect(part.startsLate && part.subject.end == nil && part.start == trace.start)
    #expect(part.metadata.durationSeconds == 2)
    let whole = trace.limited(to: TraceWindow())
    #expect(whole.wakeups.count == trace.wakeups.count && !whole.startsLate)
    #expect(whole.subject.cpuSeconds == trace.subject.cpuSeconds)
  }

  // A budget held, and nothing got worse, in a time that no recording was of.
  @Test(
    arguments: [
      (100.0, nil, "it ends after"), (6, nil, "program (pid 100) ended after"),
      (0, 0.5, "program (pid 100) began after"),
    ] as [(Double, Double?, String)])
  func `of a time without the program nothing is told`(from: Double, to: Double?, reason: String)
    throws
  {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    builder.switchIn(time: second, 7)
    try builder.process(time: 2 * second, pid: 100)
    builder.comm(time: 2 * second, pid: 100, tid: 100, name: "program")
    builder.switchIn(time: 2 * second, 100)
    try builder.process(time: 5 * second, pid: 100, kind: .exit, exitStatus: 0)
    builder.exit(time: 5 * second, pid: 100, tid: 100)
    builder.switchIn(time: 10 * second, 7)
    func load(_ window: TraceWindow) throws -> Trace {
      try builder.withFile { try Trace.load(path: $0, options: TraceOptions(window: window)) }
    }
    let error = #expect(throws: TraceError.self) { try load(TraceWindow(from: from, to: to)) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    for some in [TraceWindow(from: 3.5), TraceWindow(to: 1.5), TraceWindow(from: 3, to: 100)] {
      #expect(try load(some).subject.pid == 100)
    }
  }
}
