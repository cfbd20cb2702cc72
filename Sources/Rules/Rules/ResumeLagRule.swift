import Quantities
import Signals

/// Coming back must not be felt.
package enum ResumeLagRule: Rule {
  package static let metadata = RuleMetadata(
    id: "resume-lag", title: "Come back without a lag", category: .lifeCycle,
    guide: [Guide.queued2015, Guide.queued], signals: [.mainThread], unit: "ms",
    measuredAs:
      "the main thread's turn after it was marked active or foreground again, or let go on after a "
      + "stop, until "
      + "its next event wait; the longest of the returns",
    advice:
      "Handle what was queued while the program was away in small steps: reload what is shown and only that, "
      + "leave the rest to tasks, and let one refresh stand for many notifications.",
    examples: [
      RuleExample("back in 40 ms", .pass, example(0.04)),
      RuleExample("back in 1.2 s", .fail, example(1.2)),
      RuleExample("nothing was done", .notApplicable, example(nil)),
      RuleExample("was never away", .notApplicable, PhaseUses.appExampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let returns = zip(signals.phases, signals.phases.dropFirst()).filter {
      $0.name.isQuiet && !$1.name.isQuiet && $1.name == .active
    }.map { $1 }
    guard !returns.isEmpty else {
      return .notApplicable(
        reason: "the program did not come back from an inactive or background phase")
    }
    guard signals.mainThread?.knownEventLoop != false else {
      return .notApplicable(reason: MainThreadWaits.noEventLoop)
    }
    let handled = PhaseUses.handled(returns)
    guard let worst = handled.first?.seconds else {
      return .notApplicable(reason: "the main thread had no turn in the second after it came back")
    }
    return .measured(
      RuleFinding(
        fact: worst * 1000, displayValue: "\(Figures.seconds(worst)) until the next event wait",
        evidence: handled.prefix(5).map {
          PhaseUses.row(
            $0.phase, "back at its events after \(Figures.seconds($0.seconds))",
            value: $0.seconds, unit: "s")
        }, savings: scale.saving(of: worst * 1000, seconds: worst)))
  }

  private static func example(_ seconds: Double?) -> SignalSet {
    var set = PhaseUses.example { _ in }
    var back = Phase(name: .active, start: 60, durationSeconds: 30, how: "marked")
    back.handlerSeconds = seconds
    set.phases.append(back)
    set.mainThread = MainThreadSignal(turns: 9)
    return set
  }
}
