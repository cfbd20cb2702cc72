import Quantities
import Signals

/// Only what changed must be written, not the whole file again.
package enum WholeFileRewritesRule: Rule {
  /// Files up to one block cannot be written in part for less.
  static let blockBytes: UInt64 = 4096
  /// With fewer writes, none that wrote a whole file again shows nothing.
  static let fewestWrites = 6

  package static let metadata = RuleMetadata(
    id: "whole-file-rewrites", title: "Write what changed, not the whole file", category: .disk,
    guide: [Guide.fileAccess], signals: [.disk], unit: "%",
    measuredAs: "bytes of files that were truncated or replaced and written again ÷ all bytes "
      + "written; files of one block (4 KiB) do not count",
    advice: "Keep what changes often in SQLite, in an append-only log, or in small files of its "
      + "own; update in place with FileHandle.seek and write. An atomic save with Data.write("
      + "to:options:.atomic) is right for a small file and seldom.",
    examples: [
      RuleExample(
        "a log that is appended to", .pass,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            writes: 10, bytesWritten: 100_000,
            files: [FileUse(path: "app.log", writes: 10, bytesWritten: 100_000)]))),
      RuleExample(
        "small settings replaced twice", .notApplicable,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            writes: 3, bytesWritten: 3000,
            files: [
              FileUse(
                path: "settings.json", writes: 3, bytesWritten: 3000, rewrites: 2,
                rewrittenBytes: 2000)
            ], rewrittenBytes: 2000))),
      RuleExample(
        "a store of 500 kB written again for each change", .fail,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            writes: 20, bytesWritten: 10_000_000,
            files: [
              FileUse(
                path: "store.json", writes: 20, bytesWritten: 10_000_000, rewrites: 19,
                rewrittenBytes: 9_500_000)
            ], rewrittenBytes: 9_500_000))),
      RuleExample("no writes", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.writes > 0, disk.bytesWritten > 0 else {
      return .notApplicable(reason: "no regular file was written")
    }
    let files = disk.files.filter {
      $0.rewrites > 0 && $0.rewrittenBytes / UInt64($0.rewrites) > blockBytes
    }
    let bytes =
      disk.files.isEmpty
      ? Double(disk.rewrittenBytes) : files.reduce(0) { $0 + Double($1.rewrittenBytes) }
    let value = min(100, bytes / Double(disk.bytesWritten) * 100)
    let count = files.reduce(0) { $0 + $1.rewrites }
    // Each write is a chance to have written a part only.
    guard bytes > 0 || disk.writes >= fewestWrites else {
      return .notApplicable(reason: "too few writes to have written anything again")
    }
    let saves = Double(disk.writes)
    return .measured(
      RuleFinding(
        percent: value, bounds: .share(value / 100 * saves, of: saves).scaled(by: 100),
        of: Int(disk.writes), "write",
        displayValue: bytes > 0
          ? "\(Figures.bytes(bytes)) in \(Figures.count(count, "rewrite")) of whole files, "
            + "\(Figures.brief(value)) % of what was written" + changed(files)
          : "no file of more than 4 KiB was written again whole",
        evidence: DiskFiles.rows(files, unit: "bytes") { Double($0.rewrittenBytes) },
        savings: bytes > 0 ? Savings(value: value * unchanged(files)) : nil))
  }

  private static func changed(_ files: [FileUse]) -> String {
    let compared = files.reduce(0) { $0 + Double($1.comparedBytes) }
    guard compared > 0 else { return "" }
    let changed = files.reduce(0) { $0 + Double($1.changedBytes ?? 0) }
    return
      "; of \(Figures.bytes(compared)) compared, \(Figures.bytes(changed)) stood in blocks that "
      + "changed"
  }

  /// The share of the rewritten bytes that stood in blocks that stayed the same, where that was compared; else all, as
  /// an append-only log or a database writes next to nothing again.
  private static func unchanged(_ files: [FileUse]) -> Double {
    let compared = files.reduce(0) { $0 + Double($1.comparedBytes) }
    guard compared > 0 else { return 1 }
    return 1 - files.reduce(0) { $0 + Double($1.changedBytes ?? 0) } / compared
  }
}
