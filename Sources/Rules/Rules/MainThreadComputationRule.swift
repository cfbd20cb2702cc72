import Quantities
import Signals

/// Large amounts of computing belong on other threads.
package enum MainThreadComputationRule: Rule {
  package static let metadata = RuleMetadata(
    id: "main-thread-computation", title: "Compute off the main thread",
    category: .responsiveness, guide: [Guide.threads, Guide.concurrency],
    signals: [.mainThread], unit: "ms/min",
    measuredAs: "CPU time of the main thread in turns of 50 ms and more, per minute",
    advice: "Run parsing, encoding, image work and the like in a @concurrent function, a task "
      + "group or DispatchQueue.concurrentPerform, and hand only the result to the MainActor. "
      + "What is told to be beside a free CPU could have run at the same time as the rest.",
    examples: [
      RuleExample(
        "two turns that compute for 60 ms", .pass,
        SignalSet(
          durationSeconds: 60,
          mainThread: MainThreadSignal(turns: 100, computingSeconds50ms: 0.12))),
      RuleExample(
        "ten turns that compute for 200 ms", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            turns: 10, runningSeconds: 2, turnsOver: TurnCounts(over50ms: 10),
            computingSeconds50ms: 2, computingWhileIdleCPUs: 1.8))),
      RuleExample(
        "a compiler", .notApplicable,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            hasEventLoop: false, turns: 1, runningSeconds: 9, computingSeconds50ms: 9))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let main = signals.mainThread else { return .notMeasured(reason: "not recorded") }
    guard !main.isParked else { return .notApplicable(reason: MainThreadWaits.parked) }
    let seconds = main.computingSeconds50ms
    guard seconds > 0 || !main.hasEventLoop else {
      if main.untold.runningSeconds >= 0.05, let doubt = main.untold.doubt {
        return .notMeasured(reason: doubt)
      }
      return .nothing(reason: "no turn of 50 ms and more computed")
    }
    let rate = Exposure(signals).perMinute(
      EventSum(
        total: seconds * 1000, events: max(main.turnsOver.over50ms, main.hangs.count), unseen: 50)
    ).raised(by: main.untold.runningSeconds, main.untold, in: signals)
    var display = "\(Figures.seconds(seconds)) of computing in turns of 50 ms and more"
    if seconds > 0, main.computingWhileIdleCPUs > 0 {
      let share = min(1, main.computingWhileIdleCPUs / seconds) * 100
      display += ", \(Figures.fixed(share, 0)) % of it beside a CPU that the program left free"
    }
    let finding = RuleFinding(
      rate: rate, displayValue: display, evidence: evidence(main),
      savings: scale.saving(of: rate.value, seconds: seconds))
    guard main.hasEventLoop else {
      return .notApplicable(reason: MainThreadWaits.noEventLoop, finding: finding)
    }
    return .measured(finding)
  }

  private static func evidence(_ main: MainThreadSignal) -> [Evidence] {
    main.hangs.filter { $0.runningSeconds >= 0.05 }
      .sorted { $0.runningSeconds > $1.runningSeconds }.prefix(8).map { hang in
        let function = hang.blamedFunction
        return Evidence(
          summary: "\(Figures.seconds(hang.runningSeconds)) of CPU time in a turn of "
            + Figures.seconds(hang.durationSeconds) + (function.map { ", in \($0)" } ?? ""),
          value: hang.runningSeconds, unit: "s", time: hang.start,
          thread: main.threadName.isEmpty ? nil : main.threadName, stack: hang.stack)
      }
  }
}
