import Signals
import Testing

@testable import Rules

@Suite struct SavingsRangeTests {
  private func priced(_ signals: SignalSet) -> SignalSet {
    var signals = signals
    signals.priors = EnergyPriors(.laptop)
    return signals
  }

  private func savings(of rule: String, _ signals: SignalSet) throws -> Savings {
    let evaluation = Evaluator.evaluate(signals)
    return try #require(evaluation.audits.first { $0.id == rule }?.savings)
  }

  /// The same seconds at 1.22, 1.56 and 4.28 W.
  @Test func `what a CPU rule saves has the bounds of a busy core's price`() throws {
    let signals = priced(
      SignalSet(
        durationSeconds: 600,
        cpu: CPUSignal(totalSeconds: 540, medianShare: 0.9, p95Share: 1, shareOver60s: 0.9)))
    let saving = try savings(of: "cpu-use", signals)
    let joules = try #require(saving.joules)
    #expect(abs(try #require(saving.lowJoules) - joules * 1.22 / 1.56) < 1e-9)
    #expect(abs(try #require(saving.highJoules) - joules * 4.28 / 1.56) < 1e-9)
    // A day has 144 times ten minutes.
    #expect(abs(try #require(saving.joulesPerDay) - joules * 144) < 1e-6)
    #expect(abs(try #require(saving.highJoulesPerDay) - joules * 144 * 4.28 / 1.56) < 1e-6)
  }

  /// A day has 86,400 times a second, and not 1,440 times a minute that was not recorded.
  @Test func `shares of a battery are of the time that was recorded`() {
    var savings = Savings(joules: 0.2)
    savings.project(over: 1, battery: Battery(wattHours: 4.8, name: ""))
    #expect(savings.joulesPerDay == 17_280)
    #expect(savings.batteryShare == 1)
    savings = Savings(joules: 0.2)
    savings.project(over: 0, battery: .standard)
    #expect(savings.joulesPerDay == nil)
  }

  @Test func `what the radio takes after the recording is time that the energy was spent in`() {
    let signals = SignalSet(
      durationSeconds: 4, network: NetworkSignal(radio: RadioUse(secondsAfterEnd: 11)))
    #expect(signals.secondsSpent(on: [.network]) == 15)
    #expect(signals.secondsSpent(on: [.cpu, .wakeups]) == 4)
  }
}
