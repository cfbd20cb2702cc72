import Quantities
import Signals

/// A program must be ready for events soon after its start.
package enum LaunchTimeRule: Rule {
  package static let metadata = RuleMetadata(
    id: "launch-time", title: "Be ready for events soon after the launch",
    category: .lifeCycle, guide: [Guide.launch2015, Guide.launch, Guide.threads],
    signals: [.lifecycle], unit: "s",
    measuredAs: "exec to the main thread's first event wait, or to the program's ready mark",
    advice: "Do before the first event only what the first event needs. Make globals lazy, load "
      + "files and connect in a Task after the start, and keep work out of static initialisers. "
      + "A program linked with -static-stdlib starts faster, as fewer libraries are loaded.",
    examples: [
      RuleExample(
        "ready after 50 ms", .pass,
        SignalSet(durationSeconds: 5, lifecycle: LifecycleSignal(launchSeconds: 0.05))),
      RuleExample(
        "ready after 6 s", .fail,
        SignalSet(durationSeconds: 10, lifecycle: LifecycleSignal(launchSeconds: 6))),
      RuleExample(
        "6 s, in which it waited for something unknown", .notMeasured,
        SignalSet(
          durationSeconds: 10,
          lifecycle: LifecycleSignal(
            launchSeconds: 6, launch: LaunchSignal(seconds: 6, blockedByCause: [.unknown: 5.9])))),
      RuleExample(
        "the recorder was attached later", .notApplicable,
        SignalSet(
          durationSeconds: 10,
          lifecycle: LifecycleSignal(launchHow: "the launch was before the recording"))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let life = signals.lifecycle else { return .notMeasured(reason: "not recorded") }
    if signals.mainThread?.knownEventLoop == false {
      return .notApplicable(reason: "the program has no event loop that it could be ready for")
    }
    guard let seconds = life.launchSeconds else {
      return .notApplicable(
        reason: life.launchHow.isEmpty ? "no launch was recorded" : life.launchHow)
    }
    if let reason = UntoldLaunch.reason(life) { return .notMeasured(reason: reason) }
    return .measured(
      RuleFinding(
        fact: seconds,
        displayValue: "\(Figures.seconds(seconds)) to "
          + (life.launchHow.hasSuffix("ready mark") ? "the ready mark" : "the first event wait"),
        evidence: [
          Evidence(
            summary: "ready after \(Figures.seconds(seconds))"
              + (life.launchHow.isEmpty ? "" : ": \(life.launchHow)"),
            value: seconds, unit: "s", time: 0)
        ], savings: scale.saving(of: seconds, seconds: seconds)))
  }
}
