import Quantities
import Signals

/// Once woken in the background, a program is to finish quickly.
package enum WakeHandlerTimeRule: Rule {
  package static let metadata = RuleMetadata(
    id: "wake-handler-time", title: "Finish quickly when woken in the background",
    category: .lifeCycle,
    guide: [Guide.keepAlive, Guide.accessories, Guide.accessoriesMultitasking],
    signals: [.wakeups], unit: "s",
    measuredAs: "longest spell of work in a background phase, pauses of less than 100 ms included",
    advice: "Do only what the wake is for, and hand the rest to the next time the program is in "
      + "use. Put a deadline on it with a task group that a sleeping task cancels, and give "
      + "network requests a timeout of a few seconds.",
    examples: [
      RuleExample("40 ms", .pass, PhaseUses.example { $0.longestBusySeconds = 0.04 }),
      RuleExample(
        "12 s, over the accessories' 10 s", .warn,
        PhaseUses.example { $0.longestBusySeconds = 12 }),
      RuleExample(
        "31 s", .fail,
        PhaseUses.example {
          $0.durationSeconds = 60
          $0.longestBusySeconds = 31
        }),
      RuleExample("never in the background", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = PhaseUses.background(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    let worst = phases.map(\.longestBusySeconds).max() ?? 0
    return .measured(
      RuleFinding(
        fact: worst, displayValue: "at most \(Figures.seconds(worst)) at a time",
        evidence: phases.sorted { $0.longestBusySeconds > $1.longestBusySeconds }.prefix(5).map {
          PhaseUses.row(
            $0, "busy for \(Figures.seconds($0.longestBusySeconds)) at a time",
            value: $0.longestBusySeconds, unit: "s")
        }, savings: scale.saving(of: worst, seconds: worst)))
  }
}
