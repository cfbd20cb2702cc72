import Quantities
import Signals

/// The main thread must not wait for a network response.
package enum MainThreadNetworkWaitsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "main-thread-network-waits", title: "Never wait for the network on the main thread",
    category: .responsiveness, guide: [Guide.concurrency, Guide.doNotBlock, Guide.threads],
    signals: [.mainThread], unit: "ms/min",
    measuredAs:
      "time the main thread was off the CPU in a wait on an internet socket, outside its event wait, "
      + "per minute, at launch too",
    advice: "Use the asynchronous calls: try await URLSession.shared.data(from:), NIO or "
      + "AsyncHTTPClient futures. Do not wrap them in a semaphore, and do not load a remote URL "
      + "with Data(contentsOf:). Give each request a timeout.",
    examples: [
      RuleExample(
        "requests awaited in the event wait, and half a millisecond of others", .pass,
        SignalSet(
          durationSeconds: 60,
          mainThread: MainThreadSignal(
            turns: 50, idleSeconds: 59, blockedByCause: [.network: 0.0005]))),
      RuleExample(
        "ten synchronous requests of 50 ms", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            turns: 5, blockedByCause: [.network: 0.5],
            blockings: [Blocking(cause: .network, seconds: 0.5, count: 10)]))),
      RuleExample(
        "a tool without an event loop does the same", .notApplicable,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            hasEventLoop: false, turns: 1, blockedByCause: [.network: 0.5]))),
      RuleExample(
        "polls of half a second, of which is not known what they were for", .notMeasured,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(turns: 5, blockedByCause: [.other: 0.5]))),
    ])

  /// Less of other waits is left alone.
  private static let leastOther = 0.05

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let outcome = MainThreadWaits.outcome(
      signals, scale, causes: [.network], noun: "wait", countsLaunch: true)
    guard let main = signals.mainThread, main.hasEventLoop,
      let other = main.blockedByCause[.other], other >= leastOther
    else { return outcome }
    // Who polls within its work may wait for a peer.
    let doubt =
      "for what the main thread waited \(Figures.seconds(other)) in calls such as poll() is not known"
    switch outcome {
    case .nothing: return .notMeasured(reason: doubt)
    case .measured(var finding):
      let more = other * 60_000 / signals.durationSeconds
      finding.untold = UntoldPart(
        value: (finding.untold?.value ?? finding.value) + more, reason: doubt)
      finding.bounds.high += more
      finding.limitBounds.high = finding.bounds.high
      finding.doubt = doubt
      return .measured(finding)
    default: return outcome
    }
  }
}
