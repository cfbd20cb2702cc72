import Quantities
import Signals

/// What changes together is to stand together.
package enum WriteLocalityRule: Rule {
  package static let metadata = RuleMetadata(
    id: "write-locality", title: "Write no more blocks than change", category: .disk,
    guide: [Guide.fileAccess], signals: [.disk], unit: "ratio",
    measuredAs:
      "blocks of 4 KiB that writes touched ÷ blocks that what they changed would fill: of writes that say where they "
      + "go (pwrite), the bytes between two syncs or pauses of a second; of files written anew with another content, "
      + "the blocks that were found changed (unchanged-rewrites counts the others)",
    advice:
      "Keep together what changes together: records of one user in one table, counters in one page, "
      + "changes in an "
      + "append-only log. In SQLite put writes that belong together into one transaction, use WAL, and keep large "
      + "values out of rows that change often.",
    examples: [
      RuleExample("pages that are written whole", .pass, example(touched: 400, needed: 380)),
      RuleExample(
        "forty bytes here and forty there", .fail, example(touched: 3000, needed: 60)),
      RuleExample(
        "a file saved again as it was", .notApplicable,
        DiskFiles.example(
          FileUse(
            path: "/data/state", writes: 9, bytesWritten: 900_000, rewrites: 8,
            rewrittenBytes: 800_000, equalRewrites: 8, comparedRewrites: 8, changedBytes: 0,
            comparedBytes: 800_000))),
      RuleExample(
        "a log that is appended to", .notApplicable,
        SignalSet(durationSeconds: 60, disk: DiskSignal(writes: 9, bytesWritten: 900))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard let locality = signals.writeLocality, locality.neededBlocks > 0 else {
      let rewritten = disk.files.filter { $0.rewrites > 0 }
      if !rewritten.isEmpty, rewritten.allSatisfy({ $0.comparedRewrites >= $0.rewrites }) {
        return .notApplicable(
          reason: "no file of more than a block was written anew with another content")
      }
      return disk.rewrittenBytes > 0
        ? .notMeasured(reason: "what rewrites changed could not be compared")
        : .notApplicable(reason: "nothing was written but one after the other")
    }
    let (touched, needed) = (Double(locality.touchedBlocks), Double(locality.neededBlocks))
    let value = touched / needed
    // Each spell might have been about other places: of what was touched, this share was needed.
    let spells = Double(locality.spells)
    let share = Bounds.share(needed / touched * spells, of: spells)
    var finding = RuleFinding(
      value: value,
      bounds: Bounds(
        low: min(value, 1 / max(share.high, 1e-6)), high: max(value, 1 / max(share.low, 1e-3))),
      displayValue: "\(Figures.count(locality.touchedBlocks, "block")) touched where "
        + "\(locality.neededBlocks) would hold what changed",
      evidence: locality.files.map {
        Evidence(
          summary:
            "\($0.path): \(Figures.count($0.touchedBlocks, "block")) for \($0.neededBlocks)",
          value: Double($0.touchedBlocks), unit: "blocks", path: $0.path)
      }, savings: scale.saving(of: value))
    finding.doubt = RuleFinding.tooFew(locality.spells, "spell of writes", "spells of writes")
    return .measured(finding)
  }

  private static func example(touched: Int, needed: Int) -> SignalSet {
    var set = SignalSet(durationSeconds: 60, disk: DiskSignal(writes: touched))
    set.writeLocality = WriteLocality(spells: 60, touchedBlocks: touched, neededBlocks: needed)
    return set
  }
}
