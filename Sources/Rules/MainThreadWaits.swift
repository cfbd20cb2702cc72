import Quantities
import Signals
import TraceModel

/// What the rules about the main thread's waits have in common.
enum MainThreadWaits {
  /// Why rules about the main thread say nothing about a program without an event loop.
  static let noEventLoop =
    "the program has no event loop, so no events wait for its main thread"

  /// Time blocked for these causes, in milliseconds a minute, with the worst places.
  static func outcome(
    _ signals: SignalSet, _ scale: RuleScale, causes: [WaitCause], noun: String,
    shownOnly: [WaitCause] = []
  ) -> RuleOutcome {
    guard let main = signals.mainThread else { return .notMeasured(reason: "not recorded") }
    let seconds = causes.reduce(0) { $0 + (main.blockedByCause[$1] ?? 0) }
    let places = main.blockings.filter { causes.contains($0.cause) }
    let count = places.reduce(0) { $0 + $1.count }
    let shown = main.blockings.filter { shownOnly.contains($0.cause) }
    let value = Rates.perMinute(seconds * 1000, over: signals.durationSeconds)
    let waits = count > 0 ? " in \(Figures.count(count, noun))" : ""
    let finding = RuleFinding(
      value: value, displayValue: "\(Figures.seconds(seconds)) blocked\(waits)",
      evidence: (places + shown).sorted { $0.seconds > $1.seconds }.prefix(8).map {
        Evidence($0, thread: main.threadName, namesWaker: true)
      },
      savings: scale.saving(of: value, seconds: seconds))
    guard main.hasEventLoop else {
      return .notApplicable(reason: noEventLoop, finding: finding)
    }
    return .measured(finding)
  }
}

extension Evidence {
  /// Waits of one cause at one place.
  init(_ blocking: Blocking, thread: String, namesWaker: Bool) {
    let place = blocking.stack.blamed.map { " in \($0.function)" } ?? ""
    let waker = namesWaker ? blocking.waker.map { ", ended by \($0)" } ?? "" : ""
    self.init(
      summary: "\(Figures.seconds(blocking.seconds)) in \(Figures.count(blocking.count, "wait"))"
        + " (\(blocking.cause.rawValue))\(place)\(waker)",
      value: blocking.seconds, unit: "s", thread: thread.isEmpty ? nil : thread,
      stack: blocking.stack)
  }
}
