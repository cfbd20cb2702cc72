import Signals
import Testing

@Suite struct SignalModelTests {
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
