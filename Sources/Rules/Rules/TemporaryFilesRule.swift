import Quantities
import Signals

/// What is temporary is to be deleted when it is done with.
package enum TemporaryFilesRule: Rule {
  package static let metadata = RuleMetadata(
    id: "temporary-files", title: "Delete temporary files", category: .disk,
    guide: [Guide.backedUp], signals: [.disk], unit: "files",
    measuredAs:
      "files that the process wrote under temporary directories (/tmp, /var/tmp, tmp) and had neither removed nor "
      + "moved away as it ended, but for those that its command line names, or whose folder, and those into which its "
      + "caller put its output; what another process removes later is not seen",
    advice:
      "Remove what you make as soon as it is read (defer { try? FileManager.default.removeItem(at: url) "
      + "}), make it "
      + "without a name (O_TMPFILE, memfd_create), or unlink it while it is open.",
    examples: [
      RuleExample("twelve made and removed", .pass, example(made: 12, left: 0)),
      RuleExample("forty left", .fail, example(made: 40, left: 40)),
      RuleExample("none made", .notApplicable, example(made: 0, left: 0)),
      RuleExample(
        "the end was not recorded", .notMeasured,
        SignalSet(
          durationSeconds: 60,
          disk: DiskFiles.example(FileUse(path: "/tmp/a", writes: 1, bytesWritten: 9)).disk)),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard let files = signals.temporaryFiles else {
      return disk.files.contains { $0.writes > 0 && TemporaryFiles.isTemporary($0.path) }
        ? .notMeasured(reason: "the recording ended before the program did")
        : .notApplicable(reason: "no temporary file was made")
    }
    guard files.made > 0 else { return .nothing(reason: "no temporary file was made") }
    guard signals.isSeenStarting || Double(files.left.count) > scale.target else {
      return .notMeasured(reason: "what it made before the recording began is not known")
    }
    let bytes = files.left.reduce(0.0) { $0 + Double($1.bytes) }
    return .measured(
      RuleFinding(
        fact: Double(files.left.count),
        displayValue: files.left.isEmpty
          ? "\(Figures.count(files.made, "temporary file")) made, none left"
          : "\(Figures.count(files.left.count, "temporary file")) left with \(Figures.bytes(bytes))",
        evidence: files.left.prefix(5).map {
          Evidence(
            summary: "\($0.path): \(Figures.bytes($0.bytes))", value: Double($0.bytes),
            unit: "bytes", path: $0.path)
        }, savings: scale.saving(of: Double(files.left.count))))
  }

  private static func example(made: Int, left: Int) -> SignalSet {
    var set = SignalSet(durationSeconds: 60, disk: DiskSignal(writes: made))
    set.temporaryFiles = TemporaryFiles(
      made: made, left: (0..<left).map { .init(path: "/tmp/part-\($0)", bytes: 1000) })
    return set
  }
}
