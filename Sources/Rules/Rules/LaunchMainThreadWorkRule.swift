import Quantities
import Signals

/// At launch the main thread is to set things up, and no more.
package enum LaunchMainThreadWorkRule: Rule {
  package static let metadata = RuleMetadata(
    id: "launch-main-thread-work", title: "Only set things up on the main thread at launch",
    category: .lifeCycle, guide: [Guide.threads, Guide.doNotBlock], signals: [.lifecycle],
    unit: "ms",
    measuredAs: "time the main thread computed and was blocked before it was ready for events",
    advice:
      "Start what takes long in a Task.detached or on a DispatchQueue before the first event, "
      + "and let its result come in later. Make globals lazy and keep work out of static "
      + "initialisers and of main.swift's top level.",
    examples: [
      RuleExample("30 ms of set-up", .pass, example(running: 0.02, file: 0.01)),
      RuleExample("two seconds of parsing and reading", .fail, example(running: 1.2, file: 0.8)),
      RuleExample(
        "the recorder was attached later", .notApplicable,
        SignalSet(durationSeconds: 10, lifecycle: LifecycleSignal(launchHow: "not seen"))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    if signals.mainThread?.knownEventLoop == false {
      return .notApplicable(reason: "the program has no event loop that it could be ready for")
    }
    guard let life = signals.lifecycle, let launch = life.launch else {
      return .notApplicable(reason: "no launch was recorded")
    }
    if let reason = UntoldLaunch.reason(life) { return .notMeasured(reason: reason) }
    let blocked = launch.blockedByCause.values.reduce(0, +)
    let seconds = launch.runningSeconds + blocked
    let parts =
      [("computing", launch.runningSeconds)] + launch.blockedByCause.map { ($0.rawValue, $1) }
    return .measured(
      RuleFinding(
        fact: seconds * 1000,
        displayValue: "\(Figures.seconds(launch.runningSeconds)) computing and "
          + "\(Figures.seconds(blocked)) blocked before the first event",
        evidence: parts.filter { $0.1 > 0 }.sorted { ($0.1, $1.0) > ($1.1, $0.0) }.map {
          Evidence(summary: "\(Figures.seconds($0.1)) \($0.0)", value: $0.1, unit: "s", time: 0)
        }, savings: scale.saving(of: seconds * 1000, seconds: seconds)))
  }

  private static func example(running: Double, file: Double) -> SignalSet {
    SignalSet(
      durationSeconds: 10,
      lifecycle: LifecycleSignal(
        launchSeconds: running + file,
        launch: LaunchSignal(
          seconds: running + file, runningSeconds: running, blockedByCause: [.file: file])))
  }
}
