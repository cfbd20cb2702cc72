import Quantities
import Signals

/// A program must let the CPU sleep.
package enum IdleWakeupsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "idle-wakeups", title: "Let the CPU sleep", category: .cpu, guide: [Guide.reducePower],
    signals: [.wakeups], unit: "1/s",
    measuredAs:
      "wakeups made in interrupt context, as macOS and iOS count them, per second, by cause; ends of waits for "
      + "the disk "
      + "are left out, since the rules about files count those; the limit holds from 300 s on",
    advice: "What is asked depends on the cause that the evidence names. " + timerAdvice + " "
      + networkAdvice,
    examples: [
      RuleExample("a timer a second", .pass, example(.timer, 60)),
      RuleExample("two hundred timer wakeups a second", .fail, example(.timer, 12000)),
      RuleExample("two hundred packets a second, each by itself", .fail, example(.network, 12000)),
      RuleExample("a file read past the page cache", .pass, example(.disk, 12000)),
    ])

  private static let timerAdvice =
    "Timers: make them rarer, join them into one, or replace them by an event, and give them a tolerance "
    + "(Timer.tolerance, the leeway of a DispatchSourceTimer, Task.sleep(for:tolerance:)) so that they can share a "
    + "wakeup."
  private static let networkAdvice =
    "Network: have the other end send more at a time and less often (batches, a longer interval of updates, "
    + "compression), "
    + "and unsubscribe from what nobody looks at."
  private static let signalAdvice =
    "Signals: find who sends them, as an interval timer (setitimer, timer_create) or a parent, and wait on a "
    + "descriptor or a timer of the event loop instead."
  private static let otherAdvice =
    "Interrupts of devices: read what comes in larger pieces, and close devices that are not in use."

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let wakeups = signals.wakeups else { return .notMeasured(reason: "not recorded") }
    let seconds = signals.durationSeconds
    let disk = wakeups.idleByCause[.disk] ?? 0
    let count = wakeups.idle - min(disk, wakeups.idle)
    let rate = Exposure(signals).perSecond(EventSum(count: count))
    let value = rate.value
    var finding = RuleFinding(
      rate: rate,
      displayValue:
        "\(Figures.brief(value)) idle wakeups \(rate.isPerRun ? "in the run" : "per second")"
        + " (\(count) of \(Figures.count(wakeups.total, "wakeup")))"
        + (disk > 0 ? "; \(Figures.count(disk, "wait")) for the disk ended besides" : ""),
      evidence: evidence(signals, wakeups),
      savings: scale.saving(
        of: value, joules: signals.joules(ofIdleWakeups: count)))
    if seconds < 300 { finding.limitValue = nil }
    finding.advice = causes(wakeups).first.flatMap { advice(for: $0.key) }
    return .measured(finding)
  }

  /// What counts here, most frequent first.
  private static func causes(_ wakeups: WakeupSignal) -> [(key: WakeupCause, value: Int)] {
    wakeups.idleByCause.filter { $0.value > 0 && $0.key != .disk }
      .sorted { ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue) }
  }

  private static func advice(for cause: WakeupCause) -> String? {
    switch cause {
    case .timer: timerAdvice
    case .network: networkAdvice
    case .signal: signalAdvice
    case .other: otherAdvice
    case .disk, .sameProcess, .otherProcess, .unknown: nil
    }
  }

  private static func evidence(_ signals: SignalSet, _ wakeups: WakeupSignal) -> [Evidence] {
    let causes = causes(wakeups).prefix(3).map { cause, count in
      Evidence(
        summary: "\(Figures.count(count, "idle wakeup")) by \(words(cause))",
        value: Double(count), unit: "wakeups")
    }
    let timers = wakeups.timers.prefix(3).map { timer in
      let place = timer.stack.blamed.map { " in \($0.function)" } ?? ""
      return Evidence(
        summary: "a timer every \(Figures.seconds(timer.periodSeconds)) on "
          + "\(timer.thread.isEmpty ? String(timer.tid) : timer.thread)\(place): "
          + Figures.count(timer.count, "wakeup"),
        value: Double(timer.count), unit: "wakeups", thread: timer.thread, stack: timer.stack)
    }
    // As above, without the disk's.
    let counted = signals.threads.map { thread in
      (thread, count: thread.idleWakeups - (wakeups.diskByThread[thread.tid] ?? 0))
    }
    let threads = counted.filter { $0.count > 0 }
      .sorted { ($0.count, $1.0.tid) > ($1.count, $0.0.tid) }.prefix(5).map { thread, count in
        Evidence(
          summary: "thread \(thread.name.isEmpty ? String(thread.tid) : thread.name): "
            + Figures.count(count, "idle wakeup"),
          value: Double(count), unit: "wakeups", thread: thread.name)
      }
    return causes + timers + threads
  }

  private static func words(_ cause: WakeupCause) -> String {
    switch cause {
    case .timer: "timers"
    case .network: "the network"
    case .signal: "signals"
    case .disk: "the disk"
    case .sameProcess: "the process itself"
    case .otherProcess: "other processes"
    case .other: "other interrupts"
    case .unknown: "what is not known"
    }
  }

  private static func example(_ cause: WakeupCause, _ count: Int) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      wakeups: WakeupSignal(
        total: count + 10, perSecond: Double(count + 10) / 60, idle: count,
        idlePerSecond: Double(count) / 60, byCause: [cause: count], idleByCause: [cause: count]))
  }
}
