import Quantities
import Signals

/// A program must do with little memory.
package enum PeakFootprintRule: Rule {
  package static let metadata = RuleMetadata(
    id: "peak-footprint", title: "Do with little memory", category: .memory,
    guide: [Guide.useMemory, Guide.reduceFootprint], signals: [.memory], unit: "MB",
    measuredAs: "peak of anonymous, swapped and shared-memory pages, huge ones too",
    advice: "Map large files (Data(contentsOf:options:.alwaysMapped)), read in pieces "
      + "(FileHandle.bytes, NIOFileSystem chunks), put a countLimit on caches, and release big "
      + "buffers before the next step. Use value types in ContiguousArray instead of many objects.",
    examples: [
      RuleExample(
        "a peak of 12 MB", .pass,
        SignalSet(durationSeconds: 10, memory: MemorySignal(peakFootprintBytes: 12_000_000))),
      RuleExample(
        "a peak of 600 MB", .fail,
        SignalSet(durationSeconds: 10, memory: MemorySignal(peakFootprintBytes: 600_000_000))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let memory = signals.memory else { return .notMeasured(reason: "not recorded") }
    guard memory.peakFootprintBytes > 0 else {
      return .notMeasured(reason: "no sample of the footprint was taken")
    }
    let value = Double(memory.peakFootprintBytes) / 1e6
    let least = memory.peakIsLeast ? "at least " : ""
    let unread = memory.unreadSecondsAtEnd.map { "\(Figures.seconds($0)) before its end" }
    if memory.peakIsLeast, !memory.isPeakBounded, value <= scale.target {
      return .notMeasured(
        reason: "it was last read \(unread ?? "before its end"), at "
          + "\(Figures.bytes(memory.endFootprintBytes)), and nothing tells what it came to")
    }
    let peak = memory.samples.max { $0.footprintBytes < $1.footprintBytes }
    // Between two readings it may have been higher, and never above the kernel's own peak of all memory.
    let most = max(value, Double(memory.peakResidentBytes) / 1e6)
    let low = min(value, Double(memory.leastPeakFootprintBytes) / 1e6)
    var finding = RuleFinding(
      value: value, bounds: Bounds(low: low, high: most),
      displayValue: "\(least)\(Figures.bytes(value * 1e6)) at the peak, "
        + "\(Figures.bytes(memory.endFootprintBytes)) \(unread ?? "at the end")",
      evidence: peak.map {
        [
          Evidence(
            summary: "highest sample: \(Figures.bytes($0.footprintBytes)), "
              + "\(Figures.bytes($0.residentBytes)) resident",
            value: Double($0.footprintBytes), unit: "bytes", time: $0.time)
        ]
      } ?? [], savings: scale.saving(of: value))
    finding.doubt =
      "between two readings it may have been up to \(Figures.bytes(most * 1e6)), the kernel's peak of all memory, "
      + "mapped files too"
    if memory.peakIsLeast, let doubt = finding.doubt {
      finding.untold = UntoldPart(value: most, reason: doubt)
    }
    return .measured(finding)
  }
}
