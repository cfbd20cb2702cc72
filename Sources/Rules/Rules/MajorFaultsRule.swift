import Quantities
import Signals

/// The system is not to load pages again.
package enum MajorFaultsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "major-faults", title: "Do not make the system load pages again", category: .memory,
    guide: [Guide.useMemory], signals: [.memory], unit: "1/min",
    measuredAs: "page faults that read from a device, per minute, with the time that threads were "
      + "blocked by faults",
    advice: "Keep the working set small, touch mapped files in order (madvise with MADV_SEQUENTIAL "
      + "or MADV_WILLNEED), and link less: a cold start's faults are the program and its libraries.",
    examples: [
      RuleExample("two faults", .pass, example(2)),
      RuleExample("two thousand faults", .fail, example(2000)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let memory = signals.memory else { return .notMeasured(reason: "not recorded") }
    guard memory.majorFaults > 0 else {
      return .notApplicable(reason: "no page had to be read from a device")
    }
    let rate = Exposure(signals).perMinute(EventSum(count: memory.majorFaults))
    let stall = signals.cpu?.majorFaultSeconds ?? 0
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue: "\(Figures.count(memory.majorFaults, "major fault"))"
          + (stall > 0 ? ", \(Figures.seconds(stall)) blocked by faults" : ""),
        savings: scale.saving(of: rate.value, seconds: stall)))
  }

  private static func example(_ faults: Int) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      memory: MemorySignal(peakFootprintBytes: 9_000_000, majorFaults: faults))
  }
}
