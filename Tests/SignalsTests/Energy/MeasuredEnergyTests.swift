import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000

@Suite struct MeasuredEnergyTests {
  /// A program that runs for 2 s, and what the machine's meters say at its end.
  private func energy(_ counters: [(name: String, value: Double, unit: String)]) throws
    -> EnergySignal
  {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    builder.switchIn(time: second, 100)
    for counter in counters {
      try builder.synthetic(
        CounterEvent(name: counter.name, value: counter.value, unit: counter.unit, final: true),
        time: 3 * second, pid: 100)
    }
    builder.exit(time: 3 * second, pid: 100, tid: 100)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    return try #require(try Measurement.measure(trace).energy)
  }

  /// 2 s of the 8 in which processors were busy: a quarter of 30 J and of the memory's 6 J; cores are in their package.
  @Test func `a process has the share of the energy that it has of the busy time`() throws {
    let energy = try energy([
      ("powercap:package-0", 20, "J"), ("powercap:package-0/core", 15, "J"),
      ("powercap:package-0/dram", 6, "J"), ("powercap:package-1", 10, "J"),
      ("machine-busy", 8, "s"), ("hwmon:ina/1", 99, "J"),
    ])
    #expect(energy.measuredJoules == 36)
    #expect(
      energy.measuredBy == "powercap:package-0, powercap:package-0/dram, powercap:package-1")
    #expect(abs(try #require(energy.measuredShareJoules) - 9) < 1e-9)
    #expect(energy.measuredShareBy?.contains("Scaphandre") == true)
    #expect(energy.kind == "modelled")
  }

  private static let several: [([(name: String, value: Double)], joules: Double, name: String)] = [
    ([("energy-pkg", 5.0), ("powercap:package-0", 6)], 5.0, "energy-pkg"),
    (
      [("hwmon:ina/a", 2), ("hwmon:ina/b", 3), ("battery:BAT0", 9)], 5, "hwmon:ina/a, hwmon:ina/b"
    ),
    ([("battery:BAT0", 9)], 9, "battery:BAT0"),
  ]

  @Test(arguments: several.indices)
  func `of several meters the nearest to the processor counts`(index: Int) throws {
    let (counters, joules, name) = Self.several[index]
    let energy = try energy(counters.map { ($0.name, $0.value, "J") })
    #expect(energy.measuredJoules == joules && energy.measuredBy == name)
    // Without the machine's busy time nobody knows the process's share.
    #expect(energy.measuredShareJoules == nil)
  }

  @Test func `counters of other things are no energy`() throws {
    let energy = try energy([("instructions", 1e9, ""), ("machine-busy", 4, "s")])
    #expect(energy.measuredJoules == nil)
  }
}
