import Quantities
import Signals

/// The work of going to the background must be done soon.
package enum BackgroundTransitionTimeRule: Rule {
  package static let metadata = RuleMetadata(
    id: "background-transition-time", title: "Handle going to the background soon",
    category: .lifeCycle, guide: [Guide.background2015, Guide.background, Guide.background10],
    signals: [.lifecycle, .mainThread], unit: "s",
    measuredAs:
      "the longest turn of the main thread in which it was told of the background: from the mark, or from its "
      + "next turn within a second, to its next event wait, which is when the guide's method returns; when the "
      + "program "
      + "was quiet is shown beside",
    advice:
      "Save while in use, so that little is left to save at the end. What must be finished after the handler "
      + "returns belongs in one task with a deadline; cancel the others (Task.cancel(), "
      + "withTaskCancellationHandler) and stop timers at once.",
    examples: [
      RuleExample("handled in 200 ms", .pass, example { $0.handlerSeconds = 0.2 }),
      RuleExample(
        "handled in 200 ms, and a download goes on", .pass,
        example {
          $0.handlerSeconds = 0.2
          $0.settleSeconds = nil
          $0.cpuSeconds = 20
        }),
      RuleExample(
        "handled in 200 ms, and quiet after 20 s", .pass,
        example {
          $0.handlerSeconds = 0.2
          $0.settleSeconds = 20
        }),
      RuleExample("handled in 7 s", .fail, example { $0.handlerSeconds = 7 }),
      RuleExample("nothing was done", .notApplicable, example { _ in }),
      RuleExample("never in the background", .notApplicable, PhaseUses.appExampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = PhaseUses.background(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    guard signals.mainThread?.knownEventLoop != false else {
      return .notApplicable(reason: MainThreadWaits.noEventLoop)
    }
    let handled = PhaseUses.handled(phases)
    guard let (phase, worst) = handled.first else {
      return .notApplicable(
        reason: "the main thread had no turn in the second after the background was marked")
    }
    return .measured(
      RuleFinding(
        fact: worst,
        displayValue: "handled in \(Figures.seconds(worst)); \(quiet(phase))",
        evidence: handled.prefix(5).map {
          PhaseUses.row(
            $0.phase, "handled in \(Figures.seconds($0.seconds)), \(quiet($0.phase))",
            value: $0.seconds, unit: "s")
        }, savings: scale.saving(of: worst, seconds: worst)))
  }

  private static func quiet(_ phase: Phase) -> String {
    phase.settleSeconds.map { "quiet after \(Figures.seconds($0))" } ?? "never quiet for a second"
  }

  private static func example(_ change: (inout Phase) -> Void) -> SignalSet {
    var set = PhaseUses.example(change)
    set.mainThread = MainThreadSignal(turns: 9)
    return set
  }
}
