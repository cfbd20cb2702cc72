import Quantities
import Signals

/// What can be made again is to be freed when memory is short.
package enum MemoryWarningResponseRule: Rule {
  package static let metadata = RuleMetadata(
    id: "memory-warning-response", title: "Free memory when it is short", category: .lifeCycle,
    guide: [Guide.lowMemory], signals: [.memory], unit: "%",
    measuredAs: "share of the footprint that was still held at the lowest within 5 s of a "
      + "memory-pressure mark (`lull pressure`), the worst mark",
    advice:
      "React to memory pressure: watch memory.pressure or memory.events of the cgroup, or the "
      + "signal that your supervisor sends, and empty caches at once (NSCache does so by itself on "
      + "Apple's systems only). Then call malloc_trim(0).",
    examples: [
      RuleExample("half of it freed", .pass, example(100_000_000, 50_000_000)),
      RuleExample("nothing freed", .fail, example(100_000_000, 99_000_000)),
      RuleExample(
        "memory was never short", .notApplicable,
        SignalSet(durationSeconds: 60, memory: MemorySignal(peakFootprintBytes: 20_000_000))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let marks = signals.marks.filter(\.isMemoryPressure)
    guard !marks.isEmpty else {
      return .notApplicable(
        reason: "memory was not short: tell the program that it is with `lull pressure PID`")
    }
    let known = marks.compactMap { mark -> (mark: Mark, from: UInt64, held: Double)? in
      guard let from = mark.footprintBytes, let low = mark.lowestFootprintBytes, from > 0 else {
        return nil
      }
      return (mark, from, Double(min(low, from)) / Double(from))
    }.sorted { $0.held > $1.held }
    guard let worst = known.first else {
      return .notMeasured(reason: "no footprint was read around the memory-pressure mark")
    }
    let released = (1 - worst.held) * 100
    return .measured(
      RuleFinding(
        fact: worst.held * 100,
        displayValue: "\(Figures.brief(released)) % of \(Figures.bytes(worst.from)) freed",
        evidence: known.prefix(5).map {
          Evidence(
            summary: "\($0.mark.name): \(Figures.brief((1 - $0.held) * 100)) % of "
              + "\(Figures.bytes($0.from)) freed within 5 s",
            value: (1 - $0.held) * 100, unit: "%", time: $0.mark.time)
        }, savings: scale.saving(of: worst.held * 100)))
  }

  private static func example(_ from: UInt64, _ low: UInt64) -> SignalSet {
    SignalSet(
      durationSeconds: 60, memory: MemorySignal(peakFootprintBytes: from),
      marks: [
        Mark(
          time: 30, name: "memory-pressure-warning", how: "pressure", footprintBytes: from,
          lowestFootprintBytes: low)
      ])
  }
}
