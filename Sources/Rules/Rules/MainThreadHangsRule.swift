import Quantities
import Signals

/// The main thread must not be kept from its events for longer than 100 ms.
package enum MainThreadHangsRule: Rule {
  /// Length up to which a turn goes unnoticed.
  static let unnoticedSeconds = 0.1
  /// What a hang that was not seen and might have been lasts beyond that: 250 ms in all, from which Apple's hang rate
  /// counts it.
  static let unseenMilliseconds = 150.0

  package static let metadata = RuleMetadata(
    id: "main-thread-hangs", title: "Do not keep the main thread from its events",
    category: .responsiveness, guide: [Guide.doNotBlock, Guide.concurrency],
    signals: [.mainThread], unit: "ms/min",
    measuredAs: "what each turn of the main thread lasts beyond 100 ms, summed up, per minute",
    advice: "Make each turn short. Move long work into a Task.detached, an actor of its own or a "
      + "DispatchQueue, await it, and come back to the MainActor only with the result. Cut what "
      + "must stay into slices with Task.yield() between them.",
    examples: [
      RuleExample(
        "one turn of 150 ms in a minute", .pass,
        SignalSet(
          durationSeconds: 60, mainThread: MainThreadSignal(turns: 20, hangs: [hang(1, 0.15)]))),
      RuleExample(
        "one turn of 150 ms in two seconds", .notMeasured,
        SignalSet(
          durationSeconds: 2, mainThread: MainThreadSignal(turns: 20, hangs: [hang(1, 0.15)]))),
      RuleExample(
        "five turns of 300 ms", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            turns: 5, hangs: (0..<5).map { hang(Double($0) * 2, 0.3) }))),
      RuleExample(
        "a tool that computes for a minute", .notApplicable,
        SignalSet(
          durationSeconds: 60, mainThread: MainThreadSignal(hasEventLoop: false, turns: 1))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let main = signals.mainThread else { return .notMeasured(reason: "not recorded") }
    guard !main.isParked else { return .notApplicable(reason: MainThreadWaits.parked) }
    guard main.hasEventLoop else { return .notApplicable(reason: MainThreadWaits.noEventLoop) }
    let excesses = main.hangs.map { max(0, $0.durationSeconds - unnoticedSeconds) }
    let excess = excesses.reduce(0, +)
    let worst = main.hangs.map(\.durationSeconds).max() ?? 0
    let rate = Exposure(signals).perMinute(
      EventSum(sizes: excesses.map { $0 * 1000 }, unseen: unseenMilliseconds)
    ).raised(by: max(0, main.untold.seconds - unnoticedSeconds), main.untold, in: signals)
    let display =
      main.hangs.isEmpty
      ? "no turn of 100 ms or more"
      : "\(Figures.count(main.hangs.count, "hang")), the longest \(Figures.seconds(worst))"
    return .measured(
      RuleFinding(
        rate: rate, displayValue: display,
        evidence: main.hangs.sorted { $0.durationSeconds > $1.durationSeconds }.prefix(8)
          .map { row($0, thread: main.threadName) },
        savings: scale.saving(of: rate.value, seconds: excess)))
  }

  private static func row(_ hang: Hang, thread: String) -> Evidence {
    let parts =
      hang.blockedByCause.map { ($0.rawValue, $1) }
      + [("running", hang.runningSeconds), ("waiting for a CPU", hang.runnableSeconds)]
    let main = parts.filter { $0.1 > 0 }.max { ($0.1, $1.0) < ($1.1, $0.0) }
    let how = main.map { ", mostly \($0.0) (\(Figures.seconds($0.1)))" } ?? ""
    let place = hang.blamedFunction.map { " in \($0)" } ?? ""
    return Evidence(
      summary: "\(Figures.seconds(hang.durationSeconds)) \(hang.severity.rawValue)\(place)\(how)",
      value: hang.durationSeconds, unit: "s", time: hang.start,
      thread: thread.isEmpty ? nil : thread, stack: hang.stack)
  }

  private static func hang(_ start: Double, _ seconds: Double) -> Hang {
    Hang(
      start: start, durationSeconds: seconds,
      severity: HangSeverity(durationSeconds: seconds) ?? .noticeable, runningSeconds: seconds)
  }
}
