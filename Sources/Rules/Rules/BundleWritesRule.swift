import Quantities
import Signals

/// The installed program is not to be changed.
package enum BundleWritesRule: Rule {
  package static let metadata = RuleMetadata(
    id: "bundle-writes", title: "Never write beside the executable", category: .disk,
    guide: [Guide.dataFiles], signals: [.disk], unit: "files",
    measuredAs:
      "files written in the executable's directory or in resource bundles in it, but for those into which "
      + "its caller put its standard output and errors",
    advice: "Copy what has to change to the user's data directory (XDG_DATA_HOME, "
      + "FileManager.default.url(for: .applicationSupportDirectory …)) at the first start, and read "
      + "the original from Bundle.module.",
    examples: [
      RuleExample("data elsewhere", .pass, example("/var/lib/app/state")),
      RuleExample("a file in a resource bundle", .fail, example("/opt/app/App.resources/list")),
      RuleExample(
        "what it prints, put there by its caller", .pass, example("/opt/app/log", isGiven: true)),
      RuleExample("no writes", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.writes > 0 else { return .nothing(reason: "no regular file was written") }
    guard let executable = signals.executable, let slash = executable.lastIndex(of: "/"),
      slash != executable.startIndex
    else { return .notMeasured(reason: "the path of the executable is not known") }
    let directory = String(executable[...slash])
    let files = disk.files.filter {
      $0.writes > 0 && !$0.isGiven && isInside($0.path, directory)
    }
    return .measured(
      RuleFinding(
        fact: Double(files.count),
        displayValue: files.isEmpty
          ? "nothing was written beside the executable"
          : "\(Figures.count(files.count, "file")) written beside the executable",
        evidence: DiskFiles.rows(files, unit: "bytes") { Double($0.bytesWritten) },
        savings: scale.saving(of: Double(files.count))))
  }

  private static func isInside(_ path: String, _ directory: String) -> Bool {
    guard path.hasPrefix(directory) else { return false }
    let parts = path.dropFirst(directory.count).split(separator: "/")
    if parts.count == 1 { return true }
    return parts.dropLast().contains {
      $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") || $0 == "Contents"
    }
  }

  private static func example(_ path: String, isGiven: Bool = false) -> SignalSet {
    var file = FileUse(path: path, writes: 1, bytesWritten: 100)
    file.isGiven = isGiven
    var set = DiskFiles.example(file)
    set.executable = "/opt/app/App"
    return set
  }
}
