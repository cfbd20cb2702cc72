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
}
