import PerfData
import TestSupport
import Testing

@testable import TraceModel

struct CounterSeriesTests {
  @Test func `a part of a recording has what was counted in it, between readings in proportion`()
    throws
  {
    func values(_ window: TraceWindow?) throws -> [String: Double] {
      var builder = TraceBuilder()
      try builder.capture(time: second, rootPid: 100)
      builder.comm(time: second, pid: 100, tid: 100, name: "program")
      for (moment, value) in [(UInt64(2), 1_000.0), (3, 1_000), (5, 9_000)] {
        try builder.counter(time: moment * second, name: "instructions", value: value)
      }
      try builder.counter(
        time: 5 * second, name: "energy-pkg", value: 8, unit: "Joules", final: true)
      builder.exit(time: 6 * second, pid: 100, tid: 100)
      let trace = try builder.withFile {
        try Trace.load(path: $0, options: TraceOptions(window: window))
      }
      #expect(trace.counters.map(\.name) == ["instructions", "energy-pkg"])
      #expect(trace.counters.map(\.unit) == [nil, "Joules"])
      return Dictionary(uniqueKeysWithValues: trace.counters.map { ($0.name, $0.value) })
    }
    #expect(try values(nil) == ["instructions": 9_000, "energy-pkg": 8])
    // Seconds 0.5 to 3 of the recording: a half of the first thousand, and a half of what came in the last two seconds.
    #expect(
      try values(TraceWindow(from: 0.5, to: 3)) == ["instructions": 500 + 4_000, "energy-pkg": 5])
    #expect(try values(TraceWindow(from: 1, to: 2)) == ["instructions": 0, "energy-pkg": 2])
    #expect(try values(TraceWindow(from: 4)) == ["instructions": 0, "energy-pkg": 0])
  }
}
