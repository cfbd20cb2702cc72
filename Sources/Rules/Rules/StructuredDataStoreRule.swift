import Quantities
import Signals

/// Large structured data belongs in a database.
package enum StructuredDataStoreRule: Rule {
  /// A file of less is read and written whole without harm.
  static let smallestBytes: UInt64 = 4 << 20
  /// Fewer scattered writes than this may be chance.
  static let fewestScattered = 8

  package static let metadata = RuleMetadata(
    id: "structured-data-store", title: "Keep structured data in a database", category: .disk,
    guide: [Guide.reduceFootprint, Guide.fileAccess], signals: [.disk], unit: "files",
    measuredAs:
      "files of more than 4 MiB with eight and more small writes at scattered offsets that "
      + "are not SQLite's; what is right depends on the data, so there is no verdict",
    advice:
      "Use SQLite (directly, by GRDB or SQLite.swift) with WAL, which writes the changed pages "
      + "in one go and survives a crash.",
    examples: [
      RuleExample(
        "a table updated in place", .notApplicable,
        DiskFiles.example(
          FileUse(
            path: "/data/table.bin", writes: 50, bytesWritten: 5000, scatteredWrites: 40,
            extentBytes: 9_000_000)))
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.writes > 0 else { return .nothing(reason: "no regular file was written") }
    let paths = Set(disk.files.map(\.path))
    let files = disk.files.filter { file in
      file.extentBytes > smallestBytes && file.scatteredWrites >= fewestScattered
        && !isSQLite(file.path, among: paths)
    }
    return .informative(
      reason: "what store is right depends on the data",
      finding: RuleFinding(
        fact: Double(files.count),
        displayValue: files.isEmpty
          ? "no large file was written at scattered places"
          : "\(Figures.count(files.count, "large file")) written at scattered places",
        evidence: files.prefix(5).map {
          Evidence(
            summary: "\($0.path): \($0.scatteredWrites) small writes over "
              + Figures.bytes($0.extentBytes),
            value: Double($0.scatteredWrites), unit: "writes", path: $0.path)
        }))
  }

  /// By its name, or by the journal beside it.
  private static func isSQLite(_ path: String, among paths: Set<String>) -> Bool {
    [".sqlite", ".sqlite3", ".db", ".db3", "-wal", "-journal"].contains(where: path.hasSuffix)
      || paths.contains(path + "-wal") || paths.contains(path + "-journal")
  }
}
