import Quantities
import Signals

/// The system is not to load pages again.
package enum MajorFaultsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "major-faults", title: "Do not make the system load pages again", category: .memory,
    guide: [Guide.useMemory], signals: [.memory], unit: "1/min",
    measuredAs:
      "page faults that read from a device, per minute, with the time that threads were blocked by faults; a start "
      + "loads what it needs once, so that those of a program that was seen starting are those of its first minute",
    advice: "Keep the working set small, touch mapped files in order (madvise with MADV_SEQUENTIAL "
      + "or MADV_WILLNEED), and link less: a cold start's faults are the program and its libraries.",
    examples: [
      RuleExample("two faults", .pass, example(2)),
      RuleExample("two thousand faults", .fail, example(2000)),
      RuleExample("a start of 50 ms with twelve", .notMeasured, example(12, seconds: 0.05)),
      RuleExample(
        "the same, and then it is over", .pass, example(12, seconds: 0.05, isWhole: true)),
      RuleExample(
        "twelve in 50 ms, of a program that ran before", .fail,
        example(12, seconds: 0.05, isSeenStarting: false)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let memory = signals.memory else { return .notMeasured(reason: "not recorded") }
    guard memory.majorFaults > 0 else {
      return .nothing(reason: "no page had to be read from a device")
    }
    var rate = Exposure(signals).perMinute(EventSum(count: memory.majorFaults))
    let count = Double(memory.majorFaults)
    if signals.isSeenStarting, rate.value > count {
      rate.value = count
      rate.bounds = Bounds(low: count, high: signals.isWholeRun ? count : rate.bounds.high)
      rate.isPerRun = signals.isWholeRun
      rate.doubt = RuleFinding.tooShort(signals.durationSeconds, of: "its first minute")
    }
    let stall = signals.cpu?.majorFaultSeconds ?? 0
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue: "\(Figures.count(memory.majorFaults, "major fault"))"
          + (stall > 0 ? ", \(Figures.seconds(stall)) blocked by faults" : ""),
        savings: scale.saving(of: rate.value, seconds: stall)))
  }

  private static func example(
    _ faults: Int, seconds: Double = 60, isWhole: Bool = false, isSeenStarting: Bool = true
  ) -> SignalSet {
    var set = SignalSet(
      durationSeconds: seconds,
      memory: MemorySignal(peakFootprintBytes: 9_000_000, majorFaults: faults))
    (set.isWholeRun, set.isSeenStarting) = (isWhole, isSeenStarting)
    return set
  }
}
