import Quantities
import Signals

/// Memory that is not needed is to be freed on entering the background.
package enum BackgroundFootprintRule: Rule {
  package static let metadata = RuleMetadata(
    id: "background-footprint", title: "Free memory on entering the background",
    category: .lifeCycle,
    guide: [Guide.footprint2015, Guide.backgroundMemory, Guide.responsible10],
    signals: [.memory], unit: "MB",
    measuredAs:
      "footprint 5 s after a background phase began (or at its end), times the share that it is of the "
      + "footprint at its beginning: what is kept, as far as nothing was freed of it; the worst phase. The "
      + "largest are "
      + "ended first, so that a gigabyte counts though another was freed, and 20 MB hardly",
    advice:
      "Empty caches (NSCache.removeAllObjects()), drop decoded images and buffers that can be "
      + "made again, and close what is mapped. malloc_trim(0) gives freed memory back on Linux.",
    examples: [
      RuleExample("from 100 to 40 MB", .pass, example(100_000_000, 40_000_000)),
      RuleExample("nothing freed of 300 MB", .fail, example(300_000_000, 300_000_000)),
      RuleExample("20 MB kept", .pass, example(20_000_000, 20_000_000)),
      RuleExample("from 2 to 1 GB", .fail, example(2_000_000_000, 1_000_000_000)),
      RuleExample("never in the background", .notApplicable, PhaseUses.exampleWithout),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let phases = PhaseUses.background(signals)
    guard !phases.isEmpty else { return .notApplicable(reason: PhaseUses.noBackground) }
    let known = phases.compactMap { phase -> (phase: Phase, from: UInt64, to: UInt64)? in
      guard let from = phase.startFootprintBytes, let to = phase.settledFootprintBytes, from > 0
      else { return nil }
      return (phase, from, to)
    }
    guard !known.isEmpty else {
      return .notMeasured(reason: "no footprint was read at the beginning of a background phase")
    }
    func kept(_ from: UInt64, _ to: UInt64) -> Double {
      Double(to) / 1e6 * min(1, Double(to) / Double(from))
    }
    let rated = known.map { (entry: $0, kept: kept($0.from, $0.to)) }.sorted { $0.kept > $1.kept }
    let worst = rated.first?.kept ?? 0
    let display = rated.first.map {
      "from \(Figures.bytes($0.entry.from)) to \(Figures.bytes($0.entry.to))"
    }
    return .measured(
      RuleFinding(
        fact: worst, displayValue: display ?? "",
        evidence: rated.prefix(5).map {
          PhaseUses.row(
            $0.entry.phase,
            "from \(Figures.bytes($0.entry.from)) to "
              + Figures.bytes($0.entry.to), value: Double($0.entry.to), unit: "bytes")
        }, savings: scale.saving(of: worst)))
  }

  private static func example(_ from: UInt64, _ to: UInt64) -> SignalSet {
    PhaseUses.example {
      $0.startFootprintBytes = from
      $0.settledFootprintBytes = to
    }
  }
}
