import Quantities
import Signals

/// State is to be saved only when it changed.
package enum UnchangedRewritesRule: Rule {
  package static let metadata = RuleMetadata(
    id: "unchanged-rewrites", title: "Save only what changed", category: .disk,
    guide: [Guide.reducePower], signals: [.disk], unit: "%",
    measuredAs:
      "times a file was written again with the very content it had (size and a hash of each "
      + "block of 4 KiB, read by the recorder after the rewrite) ÷ all rewrites that were compared",
    advice:
      "Compare before saving: keep the last encoded Data, or a hash or a version counter, and "
      + "skip the write when nothing changed.",
    examples: [
      RuleExample("each save differs", .pass, example(compared: 9, equal: 0)),
      RuleExample("the last of nineteen saves", .pass, example(compared: 19, equal: 1)),
      RuleExample("the same settings nine times", .fail, example(compared: 9, equal: 9)),
      RuleExample(
        "a single save that changed nothing", .notMeasured, example(compared: 1, equal: 1)),
      RuleExample(
        "contents not read", .notMeasured,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            writes: 4, bytesWritten: 4000,
            files: [FileUse(path: "state.json", writes: 4, bytesWritten: 4000, rewrites: 3)]))),
      RuleExample(
        "nothing rewritten", .notApplicable,
        SignalSet(durationSeconds: 60, disk: DiskSignal(writes: 1, bytesWritten: 9))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    let rewritten = disk.files.filter { $0.rewrites > 0 }
    guard !rewritten.isEmpty else {
      return .notApplicable(reason: "no file was written again whole")
    }
    let compared = rewritten.reduce(0) { $0 + $1.comparedRewrites }
    guard compared > 0 else {
      return .notMeasured(reason: "the contents of rewritten files could not be read in time")
    }
    let equal = rewritten.reduce(0) { $0 + $1.equalRewrites }
    let value = Double(equal) / Double(compared) * 100
    return .measured(
      RuleFinding(
        percent: value, bounds: .share(Double(equal), of: Double(compared)).scaled(by: 100),
        of: compared, "compared rewrite",
        displayValue: "\(equal) of \(Figures.count(compared, "compared rewrite")) changed nothing",
        evidence: rewritten.filter { $0.equalRewrites > 0 }
          .sorted { ($0.equalRewrites, $1.path) > ($1.equalRewrites, $0.path) }.prefix(5).map {
            Evidence(
              summary: "\($0.path): \($0.equalRewrites) of \($0.comparedRewrites) rewrites changed "
                + "nothing", value: Double($0.equalRewrites), unit: "rewrites", path: $0.path)
          },
        savings: scale.saving(
          of: value,
          joules: signals.priors.energy(
            of: DiskWork(operations: equal, bytes: unchangedBytes(rewritten))
          ).value)))
  }

  /// Bytes of the rewrites that changed nothing: of each file's compared ones as many as there were such rewrites.
  private static func unchangedBytes(_ files: [FileUse]) -> UInt64 {
    files.reduce(0) { sum, file in
      guard file.comparedRewrites > 0 else { return sum }
      return sum + file.comparedBytes / UInt64(file.comparedRewrites) * UInt64(file.equalRewrites)
    }
  }

  private static func example(compared: Int, equal: Int) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      disk: DiskSignal(
        writes: 10, bytesWritten: 10_000,
        files: [
          FileUse(
            path: "settings.json", writes: 10, bytesWritten: 10_000, rewrites: 9,
            equalRewrites: equal, comparedRewrites: compared)
        ]))
  }
}
