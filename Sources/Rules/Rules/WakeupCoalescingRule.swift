import Quantities
import Signals

/// Work that may wait a little is to share wakeups.
package enum WakeupCoalescingRule: Rule {
  /// Fewer timer wakeups than this say nothing.
  static let fewest = 10
  /// Fewer than this a second are not worth joining.
  static let fewestPerSecond = 2.0

  package static let metadata = RuleMetadata(
    id: "wakeup-coalescing", title: "Let timers share wakeups", category: .cpu,
    guide: [Guide.reducePower], signals: [.wakeups], unit: "%",
    measuredAs:
      "timer wakeups that could have shared another's, had each been allowed to come 10 % "
      + "of its own interval later (replayed over the recording; not those after which a request was answered, "
      + "since somebody waits for them) ÷ all wakeups of the program, "
      + "so that a few among thousands weigh as little as they cost",
    advice: "Give timers a tolerance of a tenth of their interval: Timer.tolerance, the leeway of "
      + "DispatchSourceTimer.schedule, Task.sleep(for:tolerance:). Better, drive periodic work of "
      + "one rhythm from one timer. PR_SET_TIMERSLACK does it for a whole thread on Linux.",
    examples: [
      RuleExample("one timer", .pass, example(timers: 600, remaining: 600)),
      RuleExample("four timers that could be one", .fail, example(timers: 2400, remaining: 600)),
      RuleExample(
        "120 of 53,596 wakeups", .pass, example(timers: 150, remaining: 30, all: 53_596)),
      RuleExample("hardly any timers", .notApplicable, example(timers: 5, remaining: 3)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    if let reason = signals.wakeups?.whyTimersAreUntold { return .notMeasured(reason: reason) }
    guard let replay = signals.wakeups?.coalescing else {
      return .notMeasured(reason: "timer wakeups could not be told from others")
    }
    guard replay.timerWakeups >= fewest else {
      return .notApplicable(reason: "fewer than \(fewest) timer wakeups")
    }
    guard
      signals.durationSeconds <= 0
        || Double(replay.timerWakeups) / signals.durationSeconds >= fewestPerSecond
    else {
      return .notApplicable(reason: "fewer than two timer wakeups a second")
    }
    let all = Double(max(signals.wakeups?.total ?? 0, replay.timerWakeups))
    let value = Double(replay.avoidable) / all * 100
    return .measured(
      RuleFinding(
        percent: value, bounds: .share(Double(replay.avoidable), of: all).scaled(by: 100),
        of: Int(all), "wakeup",
        displayValue: "\(replay.avoidable) of \(replay.timerWakeups) timer wakeups could share "
          + "another's, of \(Figures.count(Int(all), "wakeup")) in all",
        evidence: [
          Evidence(
            summary: "median time between timer wakeups: "
              + Figures.seconds(replay.medianIdleGapSeconds),
            value: replay.medianIdleGapSeconds, unit: "s")
        ],
        // All that the replay joined is saved, not only what is above the good figure.
        savings: replay.avoidable > 0
          ? Savings(
            value: value, joules: signals.joules(ofIdleWakeups: replay.avoidable)) : nil))
  }

  private static func example(timers: Int, remaining: Int, all: Int? = nil) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      wakeups: WakeupSignal(
        total: all ?? timers, idle: timers,
        coalescing: CoalescingSignal(
          timerWakeups: timers, remaining: remaining, medianIdleGapSeconds: 0.05)))
  }
}
