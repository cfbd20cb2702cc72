import Quantities
import Signals

/// Resource files are to be small.
package enum ResourceSizesRule: Rule {
  /// What is stored uncompressed by these names.
  static let uncompressed: Set<String> = [
    "plist", "bmp", "tif", "tiff", "wav", "aiff", "ppm", "pgm", "raw", "tar", "json", "xml", "csv",
  ]

  package static let metadata = RuleMetadata(
    id: "resource-sizes", title: "Keep resource files small", category: .memory,
    guide: [Guide.reduceFootprint], signals: [.disk], unit: "MB",
    measuredAs:
      "largest file read (by perf's events, in reads of 64 KiB and more or all of it in smaller ones), and which of "
      + "them have names of uncompressed formats; what is a resource is not known, so there is no verdict",
    advice: "Store property lists in binary form (PropertyListSerialization, format .binary), "
      + "compress images (PNG crushed, WebP, JPEG) and sound, and load only the variant you need.",
    examples: [
      RuleExample(
        "a bitmap of 5 MB", .notApplicable,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            files: [FileUse(path: "/opt/app/logo.bmp", reads: 5, bytesRead: 5_000_000)],
            readsMeasured: true)))
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.readsMeasured else {
      return .notMeasured(reason: "the recording has no events of reads")
    }
    let read = disk.files.filter { $0.bytesRead > 0 }.sorted {
      ($0.bytesRead, $1.path) > ($1.bytesRead, $0.path)
    }
    guard let largest = read.first else {
      return .notApplicable(
        reason: disk.smallReadsMeasured
          ? "no file was read" : "no file was read in pieces of 64 KiB or more")
    }
    return .informative(
      reason: "what is a resource is not known",
      finding: RuleFinding(
        fact: Double(largest.bytesRead) / 1e6,
        displayValue: "the largest file read: \(Figures.bytes(largest.bytesRead))",
        evidence: read.prefix(5).map {
          let ending = $0.path.split(separator: ".").last.map { $0.lowercased() } ?? ""
          let note = uncompressed.contains(ending) ? ", an uncompressed format" : ""
          return Evidence(
            summary: "\($0.path): \(Figures.bytes($0.bytesRead))\(note)",
            value: Double($0.bytesRead), unit: "bytes", path: $0.path)
        }))
  }
}
