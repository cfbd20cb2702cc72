import Quantities
import Signals

/// A program must not poll.
package enum PollingTimersRule: Rule {
  package static let metadata = RuleMetadata(
    id: "polling-timers", title: "Wait for events, do not poll", category: .cpu,
    guide: [Guide.reducePower], signals: [.wakeups], unit: "1/s",
    measuredAs:
      "timed waits that expired at a regular period after which nothing was done before the next: "
      + "nothing written or sent, no other thread or process set going that did, no request answered that had come "
      + "before the wait, less than 1 ms of running or of waiting for something else, as a Swift task that hands its "
      + "work to a queue; by thread and place, or by the function of the Swift task, per second",
    advice: "Replace the loop that looks by something that tells: a DispatchSource for files and "
      + "processes, an AsyncStream or continuation for state, a condition or semaphore for "
      + "threads. Where there is only a timer, schedule it for when there is something to do.",
    examples: [
      RuleExample("a clock that ticks and draws", .pass, example(0.5, expired: 120, forNothing: 0)),
      RuleExample(
        "a loop that looks every 20 ms", .fail, example(0.02, expired: 3000, forNothing: 2990)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let wakeups = signals.wakeups else { return .notMeasured(reason: "not recorded") }
    if let reason = wakeups.whyTimersAreUntold { return .notMeasured(reason: reason) }
    guard !wakeups.timers.isEmpty else {
      return .nothing(reason: "no thread waited for a time again and again")
    }
    let polling = wakeups.timers.filter { $0.expiredWithoutWork > 0 }
      .sorted { ($0.expiredWithoutWork, $1.tid) > ($1.expiredWithoutWork, $0.tid) }
    let expired = polling.reduce(0) { $0 + $1.expiredWithoutWork }
    // Of some it cannot be told whether anything came of them.
    let untold = wakeups.timers.reduce(0) { $0 + $1.expiredUntold }
    let exposure = Exposure(signals)
    var rate = exposure.perSecond(EventSum(count: expired))
    let most = exposure.perSecond(EventSum(count: expired + untold)).bounds.high
    if most - rate.bounds.high > rate.bounds.high - rate.value {
      rate.doubt =
        "whether anything came of \(Figures.count(untold, "timed wait")) cannot be told"
    }
    rate.bounds.high = most
    let value = rate.value
    let display =
      expired == 0
      ? "no regular timed wait expired for nothing"
      : "\(Figures.brief(value)) timed waits expired for nothing "
        + (rate.isPerRun ? "in the run" : "per second")
    return .measured(
      RuleFinding(
        rate: rate, displayValue: display, evidence: polling.prefix(8).map(row),
        savings: scale.saving(
          of: value, joules: signals.joules(ofIdleWakeups: expired))))
  }

  private static func row(_ timer: TimerSignal) -> Evidence {
    let thread = timer.thread.isEmpty ? String(timer.tid) : timer.thread
    let place = timer.stack.blamed.map { " in \($0.function)" } ?? ""
    return Evidence(
      summary: "every \(Figures.seconds(timer.periodSeconds))"
        + " (± \(Figures.seconds(timer.jitterSeconds))), \(timer.count) times,"
        + " \(timer.expiredWithoutWork) for nothing, on \(thread)\(place)",
      value: Double(timer.expiredWithoutWork), unit: "expiries", thread: timer.thread,
      stack: timer.stack)
  }

  private static func example(_ period: Double, expired: Int, forNothing: Int) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      wakeups: WakeupSignal(
        total: expired, idle: expired,
        timers: [
          TimerSignal(
            tid: 1, thread: "poller", periodSeconds: period, count: expired,
            expiredWithoutWork: forNothing)
        ]))
  }
}
