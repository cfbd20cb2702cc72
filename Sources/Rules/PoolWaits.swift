import Quantities
import Signals
import TraceModel

/// What the rules about event loops and the cooperative pool have in common.
enum PoolWaits {
  /// Potentially unbounded waits; a page fault is the system's doing.
  static let causes: [WaitCause] = [.file, .sync, .network, .lock, .sleep, .child, .ipc]

  /// A part whose threads hardly block, one that blocks for 50 ms ten times, and a program without it.
  static func examples(
    role: ThreadRole, cause: WaitCause, good: String, bad: String, absent: String
  ) -> [RuleExample] {
    func signals(_ seconds: Double, _ thread: CriticalThread?) -> SignalSet {
      SignalSet(
        durationSeconds: seconds, mainThread: MainThreadSignal(),
        criticalThreads: thread.map { [$0] } ?? [], cpu: CPUSignal())
    }
    return [
      RuleExample(
        good, .pass,
        signals(
          60,
          CriticalThread(
            tid: 2, role: role, turns: 900, idleSeconds: 59, blockedSeconds: 0.004,
            blockedByCause: [.lock: 0.004]))),
      RuleExample(
        bad, .fail,
        signals(
          10,
          CriticalThread(
            tid: 2, role: role, turns: 50, blockedSeconds: 0.5, blockedByCause: [cause: 0.5],
            blockings: [Blocking(cause: cause, seconds: 0.5, count: 10)]))),
      RuleExample(absent, .notApplicable, signals(10, nil)),
    ]
  }

  /// Time the most blocked thread of a part was blocked, in milliseconds a minute, with the worst places of all; it may
  /// be more by what is `untold`.
  static func outcome(
    _ signals: SignalSet, _ scale: RuleScale, role: ThreadRole, absent: String,
    untold: UntoldTaskWaits = UntoldTaskWaits()
  ) -> RuleOutcome {
    if let reason = signals.threadsUnavailable { return .notMeasured(reason: reason) }
    let threads = signals.criticalThreads.filter { $0.role == role }
    let doubt = untold.doubt(of: causes)
    guard !threads.isEmpty else {
      return doubt.map { .notMeasured(reason: $0) } ?? .notApplicable(reason: absent)
    }
    func blocked(_ thread: CriticalThread) -> Double {
      causes.reduce(0) { $0 + (thread.blockedByCause[$1] ?? 0) }
    }
    if let unclear = threads.first(where: { !$0.areWaitsKnown }) {
      return .notMeasured(
        reason: "what \(unclear.name) waited for is not known for "
          + "\(Figures.percent(unclear.unknownShare)) of its time")
    }
    guard let worst = threads.max(by: { blocked($0) < blocked($1) }), blocked(worst) > 0 else {
      return doubt.map { .notMeasured(reason: $0) }
        ?? .nothing(reason: "no such thread was in any such wait")
    }
    var rate = Exposure(signals).perMinute(
      MainThreadWaits.sum(
        of: worst.blockings.filter { causes.contains($0.cause) }, seconds: blocked(worst),
        worst.waitSampling))
    if let doubt {
      rate = rate.raised(by: untold.mostSeconds(waitingFor: causes), because: doubt, in: signals)
    }
    let places = threads.flatMap { thread in
      thread.blockings.filter { causes.contains($0.cause) }.map {
        (tid: thread.tid, thread: thread.name, blocking: $0)
      }
    }
    let count = places.reduce(0) { $0 + $1.blocking.count }
    let waits = count > 0 ? " in \(Figures.count(count, "wait"))" : ""
    let total = threads.map(blocked).reduce(0, +)
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue: "\(Figures.seconds(total)) blocked\(waits) on "
          + Figures.count(threads.count, "thread"),
        evidence: PlaceOfWaits.evidence(of: places, namesWaker: false),
        savings: total > 0 ? scale.saving(of: rate.value, seconds: total) : nil))
  }
}
