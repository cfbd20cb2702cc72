import Quantities
import Signals

/// The work of going to the background must be done soon.
package enum BackgroundTransitionTimeRule: Rule {
  package static let metadata = RuleMetadata(
    id: "background-transition-time", title: "Be quiet soon after going to the background",
    category: .lifeCycle, guide: [Guide.background2015, Guide.background], signals: [.lifecycle],
    unit: "s",
    measuredAs: "the longest time from the background mark until no thread ran for a second",
    advice: "Save while in use, so that little is left to save at the end. What must be finished "
      + "belongs in one task with a deadline; cancel the others (Task.cancel(), "
      + "withTaskCancellationHandler) and stop timers at once.",
    examples: [
      RuleExample(
        "quiet after 200 ms", .pass, PhaseUses.example { $0.settleSeconds = 0.2 }),
      RuleExample("quiet after 7 s", .fail, PhaseUses.example { $0.settleSeconds = 7 }),
      RuleExample(
        "never quiet", .fail,
        PhaseUses.example {
          $0.settleSeconds = nil
          $0.cpuSeconds = 20
        }),
      RuleExample("never in the background", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = PhaseUses.background(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    let known = phases.filter { $0.settleSeconds != nil || $0.durationSeconds > 5 }
    guard !known.isEmpty else {
      return .notMeasured(reason: "the program was never quiet for a second in so short a phase")
    }
    // A phase that never became quiet counts with its whole length.
    let worst = known.map { $0.settleSeconds ?? $0.durationSeconds }.max() ?? 0
    return .measured(
      RuleFinding(
        fact: worst, displayValue: "quiet after \(Figures.seconds(worst))",
        evidence: known.sorted {
          ($0.settleSeconds ?? .infinity) > ($1.settleSeconds ?? .infinity)
        }.prefix(5).map {
          PhaseUses.row(
            $0,
            $0.settleSeconds.map { "quiet after \(Figures.seconds($0))" } ?? "never quiet",
            value: $0.settleSeconds, unit: "s")
        }, savings: scale.saving(of: worst, seconds: worst)))
  }
}
