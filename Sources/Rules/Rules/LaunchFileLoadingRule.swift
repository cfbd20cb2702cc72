import Quantities
import Signals

/// What is not needed yet is not to be loaded at launch.
package enum LaunchFileLoadingRule: Rule {
  package static let metadata = RuleMetadata(
    id: "launch-file-loading", title: "Load files when they are needed, not at launch",
    category: .lifeCycle, guide: [Guide.reduceFootprint], signals: [.lifecycle], unit: "MB",
    measuredAs: "bytes that read calls returned before the program was ready for events, what came "
      + "from sockets left out; mapped libraries do not count; the number of files opened is shown",
    advice:
      "Open resources on first use (lazy var, a global's own initialiser), map large ones with "
      + "Data(contentsOf:options:.alwaysMapped), and split a big configuration into what the start "
      + "needs and the rest.",
    examples: [
      RuleExample("a small configuration", .pass, example(40_000, files: 2)),
      RuleExample("a dictionary of 200 MB", .fail, example(200_000_000, files: 3)),
      RuleExample(
        "the recorder was attached later", .notApplicable,
        SignalSet(durationSeconds: 10, lifecycle: LifecycleSignal(launchHow: "not seen"))),
      RuleExample(
        "/proc could not be read", .notMeasured,
        SignalSet(
          durationSeconds: 10,
          lifecycle: LifecycleSignal(launchSeconds: 0.1, launch: LaunchSignal(seconds: 0.1)))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    if signals.mainThread?.knownEventLoop == false {
      return .notApplicable(reason: "the program has no event loop that it could be ready for")
    }
    guard let life = signals.lifecycle, let launch = life.launch else {
      return .notApplicable(reason: "no launch was recorded")
    }
    if let reason = UntoldLaunch.reason(life) { return .notMeasured(reason: reason) }
    guard let bytes = launch.bytesRead else {
      return .notMeasured(reason: "/proc told no bytes read before the program was ready")
    }
    let value = Double(bytes) / 1e6
    // Bytes are of /proc; what was opened is known by the calls alone.
    let files =
      signals.seesFileCalls
      ? "\(Figures.count(launch.filesOpened, "file")) opened before the first event"
      : "before the first event; which files it opened was not seen"
    return .measured(
      RuleFinding(
        fact: value,
        displayValue: "\(Figures.bytes(bytes)) read \(signals.seesFileCalls ? "and " : "")\(files)",
        evidence: launch.files.prefix(8).map { Evidence(summary: "opened \($0)", path: $0) },
        savings: scale.saving(of: value)))
  }

  private static func example(_ bytes: UInt64, files: Int) -> SignalSet {
    SignalSet(
      durationSeconds: 10,
      lifecycle: LifecycleSignal(
        launchSeconds: 0.1,
        launch: LaunchSignal(seconds: 0.1, bytesRead: bytes, filesOpened: files)))
  }
}
