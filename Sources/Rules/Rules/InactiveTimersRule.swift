import Quantities
import Signals

/// Timers are to stop while nobody uses the program.
package enum InactiveTimersRule: Rule {
  package static let metadata = RuleMetadata(
    id: "inactive-timers", title: "Stop timers while inactive", category: .lifeCycle,
    guide: [Guide.interrupted2015, Guide.interruption, Guide.interruptions10],
    signals: [.wakeups], unit: "1/s",
    measuredAs:
      "wakeups by timers per second in inactive and background phases",
    advice: "Invalidate or suspend timers when the program is interrupted (Timer.invalidate(), "
      + "DispatchSourceTimer.suspend(), Task.cancel()) and start them again when it is back.",
    examples: [
      RuleExample("one tick in 30 s", .pass, PhaseUses.example { $0.timerWakeups = 1 }),
      RuleExample("twenty ticks a second", .fail, PhaseUses.example { $0.timerWakeups = 600 }),
      RuleExample("never inactive", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = PhaseUses.quiet(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noQuiet) }
    let count = phases.reduce(0) { $0 + $1.timerWakeups }
    let seconds = phases.reduce(0) { $0 + $1.durationSeconds }
    let rate = Exposure(seconds: seconds).perSecond(EventSum(count: count))
    var finding = RuleFinding(
      rate: rate,
      displayValue: "\(Figures.count(count, "timer wakeup")) in \(Figures.seconds(seconds))",
      evidence: phases.filter { $0.timerWakeups > 0 }.prefix(5).map {
        PhaseUses.row(
          $0, Figures.count($0.timerWakeups, "timer wakeup"), value: Double($0.timerWakeups),
          unit: "wakeups")
      },
      savings: scale.saving(
        of: rate.value, joules: signals.joules(ofIdleWakeups: count)))
    finding.doubt = RuleFinding.tooShort(seconds, of: "inactivity or background")
    return .measured(finding)
  }
}
