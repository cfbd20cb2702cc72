import Quantities
import Signals
import TraceModel

/// What the rules about the main thread's waits have in common.
enum MainThreadWaits {
  /// Why rules about the main thread say nothing about a program without an event loop.
  static let noEventLoop =
    "the program has no event loop, so no events wait for its main thread"

  /// Why they say nothing where the main thread has no work.
  static let parked =
    "the main thread is parked, and nothing ran on the main queue or MainActor that took time"

  /// Time blocked for these causes, in milliseconds a minute, with the worst places.
  ///
  /// What was before the launch was over counts in `launch-main-thread-work`, and here only where there may be none.
  static func outcome(
    _ signals: SignalSet, _ scale: RuleScale, causes: [WaitCause], noun: String,
    shownOnly: [WaitCause] = [], countsLaunch: Bool = false
  ) -> RuleOutcome {
    guard let main = signals.mainThread else { return .notMeasured(reason: "not recorded") }
    guard !main.isParked else { return .notApplicable(reason: parked) }
    let atLaunch = causes.reduce(0) { $0 + (main.launchBlockedByCause[$1] ?? 0) }
    let seconds = rest(
      of: causes.reduce(0) { $0 + (main.blockedByCause[$1] ?? 0) },
      without: countsLaunch ? 0 : atLaunch)
    let places = main.blockings.filter { causes.contains($0.cause) }
    let count = places.reduce(0) { $0 + $1.count }
    let shown = main.blockings.filter { shownOnly.contains($0.cause) }
    let untold = causes.reduce(0) { $0 + (main.untold.blockedByCause[$1] ?? 0) }
    guard seconds > 0 || !main.hasEventLoop else {
      if untold > 0, let doubt = main.untold.doubt { return .notMeasured(reason: doubt) }
      return .nothing(reason: "the main thread was in no such wait")
    }
    let rate = Exposure(signals).perMinute(sum(of: places, seconds: seconds, main.waitSampling))
      .raised(by: untold, main.untold, in: signals)
    let waits = count > 0 ? " in \(Figures.count(count, noun))" : ""
    var finding = RuleFinding(
      rate: rate, displayValue: "\(Figures.seconds(seconds)) blocked\(waits)",
      evidence: PlaceOfWaits.evidence(
        of: (places + shown).map {
          (tid: main.threadID, thread: main.threadName, blocking: $0)
        }, namesWaker: true),
      savings: scale.saving(of: rate.value, seconds: seconds))
    if countsLaunch, atLaunch > 0 {
      finding.evidence.append(
        Evidence(
          summary: "\(Figures.seconds(atLaunch)) before it was ready for events",
          value: atLaunch, unit: "s", time: 0, thread: main.threadName))
    }
    // Where none is allowed one is too many, however seldom it may be.
    finding.limitBounds =
      untold > 0 ? Bounds(low: rate.value, high: rate.bounds.high) : .exactly(rate.value)
    guard main.hasEventLoop else {
      return .notApplicable(reason: noEventLoop, finding: finding)
    }
    return .measured(finding)
  }

  /// What is left of a time; sums of the same waits may differ by less than a clock's tick.
  private static func rest(of seconds: Double, without others: Double) -> Double {
    seconds - others < 1e-9 ? 0 : seconds - others
  }

  /// The waits of some places, in milliseconds; those of one place are taken to be of one length.
  static func sum(
    of places: [Blocking], seconds: Double, _ sampling: WaitSampling
  ) -> EventSum {
    var sum = EventSum(count: 0)
    sum.unseen = 0
    for place in places { sum.add(place.seconds * 1000, events: place.count) }
    // What no place is known of is one wait.
    sum.add(seconds * 1000 - sum.total, events: 1)
    sum.wereRecorded(sampling.recordedShare, isOfRecorded: sampling.isOfRecorded)
    return sum
  }
}

extension Rate {
  /// The same, of milliseconds a minute, where the main thread may have done so many seconds more.
  func raised(by seconds: Double, _ untold: UntoldQueueWork, in signals: SignalSet) -> Rate {
    guard seconds > 0, let doubt = untold.doubt else { return self }
    return raised(by: seconds, because: doubt, in: signals)
  }

  /// The same, of milliseconds a minute, where it may be so many seconds more.
  func raised(by seconds: Double, because doubt: String, in signals: SignalSet) -> Rate {
    guard seconds > 0 else { return self }
    var rate = self
    let more = seconds * 60_000 / signals.durationSeconds
    let most = bounds.high + more
    rate.untold = UntoldPart(value: value + more, reason: doubt)
    if most - bounds.high > bounds.high - value { rate.doubt = doubt }
    rate.bounds.high = most
    return rate
  }
}
