import Quantities
import Signals

/// A program that is told to end must end soon.
package enum TerminationTimeRule: Rule {
  /// The kernel ends a program sooner, even a large one.
  private static let defaultActionSeconds = 0.1

  package static let metadata = RuleMetadata(
    id: "termination-time", title: "End soon after being told to",
    category: .lifeCycle, guide: [Guide.termination10, Guide.termination, Guide.doNotBlock],
    signals: [.lifecycle], unit: "s",
    measuredAs: "SIGTERM or SIGINT to the exit, of a program that catches it",
    advice: "Catch SIGTERM with a DispatchSourceSignal or ServiceLifecycle's graceful shutdown, "
      + "stop taking work, save what changed, and leave. Save while running, so that little is "
      + "left to save, and put a deadline on closing connections.",
    examples: [
      RuleExample(
        "ends after 20 ms", .pass,
        SignalSet(
          durationSeconds: 5,
          lifecycle: LifecycleSignal(terminationSeconds: 0.02, terminationSignal: 15))),
      RuleExample(
        "ends after 6 s", .fail,
        SignalSet(
          durationSeconds: 10,
          lifecycle: LifecycleSignal(terminationSeconds: 6, terminationSignal: 15))),
      RuleExample(
        "ended by the signal, which it does not catch", .notApplicable,
        SignalSet(
          durationSeconds: 5,
          lifecycle: LifecycleSignal(
            terminationSeconds: 0.001, exitSignal: 15, terminationSignal: 15))),
      RuleExample(
        "ends by itself", .notApplicable,
        SignalSet(durationSeconds: 10, lifecycle: LifecycleSignal(launchSeconds: 0.1))),
      RuleExample(
        "told to end, but the recording ends first", .notMeasured,
        SignalSet(durationSeconds: 10, lifecycle: LifecycleSignal(terminationSignal: 15))),
      RuleExample("signals not recorded", .notMeasured, withoutSignals(nil)),
      RuleExample(
        "signals not recorded, of a program without a handler", .notApplicable,
        withoutSignals(false)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let life = signals.lifecycle else { return .notMeasured(reason: "not recorded") }
    guard let seconds = life.terminationSeconds else {
      return life.terminationSignal == nil
        ? notTold(signals)
        : .notMeasured(reason: "the program was still running when the recording ended")
    }
    // A handler that cleans up may end the program by the same signal, but not at once.
    guard life.exitSignal != life.terminationSignal || seconds > defaultActionSeconds else {
      return .notApplicable(reason: "the signal itself ended the program, which does not catch it")
    }
    return .measured(
      RuleFinding(
        fact: seconds, displayValue: "\(Figures.seconds(seconds)) from the signal to the exit",
        savings: scale.saving(of: seconds, seconds: seconds)))
  }

  /// What is to be said where no signal was seen that told the program to end.
  static func notTold(_ signals: SignalSet) -> RuleOutcome {
    if signals.signalsMeasured { return .notApplicable(reason: "the program was not told to end") }
    if signals.lifecycle?.catchesTermination == false {
      return .notApplicable(reason: "the program has no handler for a signal that tells it to end")
    }
    return .notMeasured(reason: "signals to the program were not recorded")
  }

  private static func withoutSignals(_ catches: Bool?) -> SignalSet {
    var set = SignalSet(
      durationSeconds: 10, lifecycle: LifecycleSignal(catchesTermination: catches))
    set.signalsMeasured = false
    return set
  }
}
