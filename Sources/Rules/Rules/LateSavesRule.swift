import Quantities
import Signals

/// Data is to be saved as it changes, not in the last moment.
package enum LateSavesRule: Rule {
  package static let metadata = RuleMetadata(
    id: "late-saves", title: "Save at checkpoints, not in the last moment", category: .lifeCycle,
    guide: [Guide.saving10, Guide.interrupted2015, Guide.background2015, Guide.terminationAPG],
    signals: [.disk], unit: "%",
    measuredAs:
      "bytes written in the five seconds after the background mark or SIGTERM, to files that nothing "
      + "had been "
      + "written to before, ÷ all bytes written until then; the last changes to a file that had been saved before do "
      + "not count",
    advice:
      "Save when the user has finished something: as a view closes, after each edit, or every few minutes "
      + "(a debounced task, NSDocument's autosave, a database). Leave to the transition what changed since.",
    examples: [
      RuleExample("nine saves, and the last change", .pass, example(late: 0, of: 90_000, files: 9)),
      RuleExample(
        "nothing is saved until the end", .fail, example(late: 90_000, of: 90_000, files: 9)),
      RuleExample(
        "never told to go", .notApplicable,
        SignalSet(durationSeconds: 60, disk: DiskSignal(writes: 3, bytesWritten: 9000))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard let saves = signals.lateSaves else {
      if disk.writes > 0, case .notMeasured(let reason) = TerminationTimeRule.notTold(signals) {
        return .notMeasured(reason: reason)
      }
      return .notApplicable(
        reason:
          "the program was neither moved to the background nor told to end, or had written nothing")
    }
    let share = saves.bytes > 0 ? Double(saves.lateBytes) / Double(saves.bytes) : 0
    let files = Double(max(saves.files, 1))
    var finding = RuleFinding(
      percent: share * 100, bounds: .share(share * files, of: files).scaled(by: 100),
      of: saves.files, "file",
      displayValue:
        "\(Figures.bytes(saves.lateBytes)) of \(Figures.bytes(saves.bytes)) first written in "
        + "the last moment",
      evidence: saves.lateFiles.map {
        Evidence(
          summary: "\($0.path): \(Figures.bytes($0.bytes))", value: Double($0.bytes),
          unit: "bytes", path: $0.path)
      }, savings: scale.saving(of: share * 100))
    if !signals.isSeenStarting, saves.lateBytes > 0 {
      // Each of them may have been saved before as well.
      finding.bounds.low = 0
      finding.doubt = "what was saved before the recording began is not known"
    }
    return .measured(finding)
  }

  private static func example(late: UInt64, of bytes: UInt64, files: Int) -> SignalSet {
    var set = SignalSet(durationSeconds: 60, disk: DiskSignal(writes: files, bytesWritten: bytes))
    set.lateSaves = LateSaves(bytes: bytes, lateBytes: late, files: files)
    return set
  }
}
