import Foundation
import Signals
import Testing

@Suite struct SignalModelTests {
  private func keys(_ value: some Encodable) throws -> Set<String> {
    let data = try JSONEncoder().encode(value)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    return Set(object.keys)
  }

  @Test func `keys of the report`() throws {
    let burst = try keys(Burst(start: 0))
    #expect(
      burst.isSuperset(of: [
        "start", "durationSeconds", "bytesSent", "bytesReceived", "class", "remotes",
        "energyJoules", "tailEnergyJoules",
      ]))
    #expect(try keys(ConnectionSignal(protocol: "tcp")).contains("protocol"))
    #expect(
      try keys(RadioUse()).isSuperset(of: [
        "profile", "stateSeconds", "energyJoules", "tailEnergyJoules", "dutyCycle",
      ]))
    #expect(
      try keys(MemorySample(time: 0)).isSuperset(of: ["time", "footprintBytes", "residentBytes"]))
    #expect(
      try keys(TimerSignal(tid: 1, periodSeconds: 1, count: 1)).isSuperset(of: [
        "tid", "thread", "periodSeconds", "jitterSeconds", "count", "stack",
      ]))
    #expect(
      try keys(FileUse(path: "p")).isSuperset(of: [
        "path", "writes", "bytesWritten", "syncs", "rewrites",
      ]))
    #expect(
      try keys(EnergySignal()).isSuperset(of: [
        "totalJoules", "cpuJoules", "wakeupJoules", "radioJoules", "diskJoules", "kind",
      ]))
  }

  @Test(
    arguments: [
      (0.0999, nil), (0.1, .noticeable), (0.2499, .noticeable), (0.25, .hang), (0.5, .severe),
      (1.99, .severe), (2, .critical), (100, .critical),
    ] as [(Double, HangSeverity?)])
  func `severity by length`(seconds: Double, severity: HangSeverity?) {
    #expect(HangSeverity(durationSeconds: seconds) == severity)
  }

  /// 10 s × 1.56 W + 100 × 200 µs × 1.56 W + 50 × 2 mJ + 1 MB × 4.7 nJ + 10 × 38.5 µJ + 3 J.
  @Test func `energy on paper`() {
    let energy = EnergyPriors(.laptop).energy(
      cpuSeconds: 10, wakeups: 100,
      disk: DiskWork(operations: 50, bytes: 1_000_000, randomBlocks: 10), radio: JouleRange(3))
    #expect(abs(energy.cpuJoules - 15.6) < 1e-12)
    #expect(abs(energy.wakeupJoules - 0.0312) < 1e-12)
    #expect(abs(energy.diskJoules - 0.105085) < 1e-12)
    #expect(abs(energy.totalJoules - 18.736285) < 1e-12)
    #expect(energy.kind == "modelled")
  }
}
