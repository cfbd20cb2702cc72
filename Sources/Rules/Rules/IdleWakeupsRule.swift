import Quantities
import Signals

/// A program must let the CPU sleep.
package enum IdleWakeupsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "idle-wakeups", title: "Let the CPU sleep", category: .cpu, guide: [Guide.reducePower],
    signals: [.wakeups], unit: "1/s",
    measuredAs:
      "wakeups made in interrupt context, as macOS and iOS count them, per second; the limit holds from 300 s on",
    advice: "Find the timers in the evidence and make them rarer, join them into one, or replace "
      + "them by an event. Give timers a tolerance (Timer.tolerance, the leeway of a "
      + "DispatchSourceTimer, Task.sleep(for:tolerance:)) so that they can share a wakeup.",
    examples: [
      RuleExample("a timer a second", .pass, example(total: 70, idle: 60)),
      RuleExample("two hundred timer wakeups a second", .fail, example(total: 12000, idle: 12000)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let wakeups = signals.wakeups else { return .notMeasured(reason: "not recorded") }
    let seconds = signals.durationSeconds
    let rate = Exposure(signals).perSecond(EventSum(count: wakeups.idle))
    let value = rate.value
    var finding = RuleFinding(
      rate: rate,
      displayValue:
        "\(Figures.brief(value)) idle wakeups \(rate.isPerRun ? "in the run" : "per second")"
        + " (\(wakeups.idle) of \(Figures.count(wakeups.total, "wakeup")))",
      evidence: evidence(signals, wakeups),
      savings: scale.saving(
        of: value, joules: signals.joules(ofIdleWakeups: wakeups.idle)))
    if seconds < 300 { finding.limitValue = nil }
    return .measured(finding)
  }

  private static func evidence(_ signals: SignalSet, _ wakeups: WakeupSignal) -> [Evidence] {
    let threads = signals.threads.filter { $0.idleWakeups > 0 }
      .sorted { ($0.idleWakeups, $1.tid) > ($1.idleWakeups, $0.tid) }.prefix(5).map {
        Evidence(
          summary: "thread \($0.name.isEmpty ? String($0.tid) : $0.name): "
            + Figures.count($0.idleWakeups, "idle wakeup"),
          value: Double($0.idleWakeups), unit: "wakeups", thread: $0.name)
      }
    let causes = wakeups.byCause.filter { $0.value > 0 }
      .sorted { ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue) }.prefix(3).map {
        Evidence(
          summary: "\(Figures.count($0.value, "wakeup")) by \($0.key.rawValue)",
          value: Double($0.value),
          unit: "wakeups")
      }
    return Array(threads) + Array(causes)
  }

  private static func example(total: Int, idle: Int) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      wakeups: WakeupSignal(
        total: total, perSecond: Double(total) / 60, idle: idle, idlePerSecond: Double(idle) / 60,
        byCause: [.timer: idle]))
  }
}
