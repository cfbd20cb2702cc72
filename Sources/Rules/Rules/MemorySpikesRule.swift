import Quantities
import Signals

/// Temporaries are to be freed before they pile up.
package enum MemorySpikesRule: Rule {
  /// A smaller spike does no harm, whatever its share.
  static let smallBytes: UInt64 = 8 << 20

  package static let metadata = RuleMetadata(
    id: "memory-spikes", title: "Free temporaries before they pile up", category: .memory,
    guide: [Guide.allocate], signals: [.memory, .mainThread], unit: "ratio",
    measuredAs:
      "within one turn of the main thread, (highest footprint − that at its end) ÷ that "
      + "at its beginning, the worst turn; from readings of /proc and the kernel's own peak; spikes "
      + "of less than 8 MiB count as none",
    advice: "Work in pieces, and give each its own scope so that its buffers end there "
      + "(autoreleasepool on Apple's systems). Reserve and reuse one buffer, use lazy sequences, "
      + "and stream instead of collecting.",
    examples: [
      RuleExample("steady", .pass, example(nil)),
      RuleExample(
        "400 MB for a moment", .fail,
        example(
          MemorySpike(
            time: 3, beforeBytes: 50_000_000, peakBytes: 450_000_000, afterBytes: 52_000_000))),
      RuleExample(
        "a small one", .pass,
        example(
          MemorySpike(
            time: 3, beforeBytes: 5_000_000, peakBytes: 11_000_000, afterBytes: 5_000_000))),
      RuleExample(
        "a compiler", .notApplicable,
        SignalSet(
          durationSeconds: 9, mainThread: MainThreadSignal(hasEventLoop: false),
          memory: MemorySignal(peakFootprintBytes: 9_000_000))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let memory = signals.memory else { return .notMeasured(reason: "not recorded") }
    if signals.mainThread?.knownEventLoop == false {
      return .notApplicable(reason: "without an event loop there are no turns")
    }
    guard memory.spikesMeasured else {
      return .notMeasured(reason: "too few readings of the memory to see within turns")
    }
    let spikes = memory.spikes.filter { $0.peakBytes >= $0.afterBytes + smallBytes }
      .sorted { $0.share > $1.share }
    let value = spikes.first?.share ?? 0
    return .measured(
      RuleFinding(
        fact: value,
        displayValue: spikes.first.map {
          "\(Figures.bytes($0.peakBytes)) for a moment, "
            + "\(Figures.bytes($0.afterBytes)) after"
        } ?? "no spike of 8 MiB or more",
        evidence: spikes.prefix(5).map {
          Evidence(
            summary: "\(Figures.bytes($0.beforeBytes)) before, "
              + "\(Figures.bytes($0.peakBytes)) at the peak, "
              + "\(Figures.bytes($0.afterBytes)) after",
            value: Double($0.peakBytes), unit: "bytes", time: $0.time)
        }, savings: scale.saving(of: value)))
  }

  private static func example(_ spike: MemorySpike?) -> SignalSet {
    SignalSet(
      durationSeconds: 60, mainThread: MainThreadSignal(turns: 9),
      memory: MemorySignal(
        peakFootprintBytes: 60_000_000, spikes: spike.map { [$0] } ?? [], spikesMeasured: true))
  }
}
