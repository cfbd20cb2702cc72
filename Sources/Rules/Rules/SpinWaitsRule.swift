import Quantities
import Signals

/// Nothing is to be waited for by asking again and again.
package enum SpinWaitsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "spin-waits", title: "Do not wait busily", category: .cpu, guide: [Guide.reducePower],
    signals: [.cpu], unit: "1/s",
    measuredAs: "calls of sched_yield, polls with a timeout of zero that found nothing, and calls "
      + "that would have blocked three and more times in a row, per second",
    advice:
      "Wait with what the kernel wakes: a condition, a semaphore, an AsyncStream, poll with a "
      + "timeout, a DispatchSource. Around an atomic, use Mutex or a futex-based lock instead of "
      + "spinning.",
    examples: [
      RuleExample("two a second", .pass, example(SpinSignal(yields: 120))),
      RuleExample("none", .notApplicable, example(SpinSignal())),
      RuleExample(
        "a loop of sched_yield", .fail,
        example(
          SpinSignal(
            yields: 400_000,
            places: [SpinPlace(thread: "waiter", tid: 2, count: 400_000, call: "sched_yield")]))),
      RuleExample(
        "not recorded", .notMeasured,
        SignalSet(durationSeconds: 60, cpu: CPUSignal(totalSeconds: 1))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let spins = signals.spins else {
      return .notMeasured(reason: "calls that come back with nothing were not recorded")
    }
    guard spins.total > 0 else {
      return .nothing(reason: "no call came back with nothing")
    }
    let rate = Exposure(signals).perSecond(EventSum(count: spins.total, recorded: spins.recorded))
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue:
          "\(spins.yields) sched_yield, \(Figures.count(spins.emptyPolls, "empty poll")), "
          + "\(Figures.count(spins.emptyReads, "call")) that would have blocked",
        evidence: spins.places.prefix(8).map {
          Evidence(
            summary: "\(Figures.count($0.count, "time")) on \($0.thread), mostly \($0.call)",
            value: Double($0.count), unit: "calls", thread: $0.thread)
        }, savings: scale.saving(of: rate.value)))
  }

  private static func example(_ spins: SpinSignal) -> SignalSet {
    SignalSet(durationSeconds: 60, cpu: CPUSignal(totalSeconds: 1), spins: spins)
  }
}
