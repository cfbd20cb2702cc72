import Quantities
import Signals

/// Large files are to be mapped or read in parts.
package enum LargeFileReadsRule: Rule {
  static let largeBytes: UInt64 = 4 << 20

  package static let metadata = RuleMetadata(
    id: "large-file-reads", title: "Map large files instead of loading them", category: .memory,
    guide: [Guide.allocate], signals: [.disk], unit: "files",
    measuredAs: "regular files of which reads of 64 KiB and more brought over 4 MiB in few, large "
      + "pieces (1 MiB and more each on average)",
    advice:
      "Use Data(contentsOf:options:.alwaysMapped) or mmap, which load only the pages that are "
      + "touched, or read in pieces with FileHandle.bytes or NIOFileSystem's chunks.",
    examples: [
      RuleExample("a file read in chunks", .pass, example(reads: 160, bytes: 10_485_760)),
      RuleExample("200 MB in one read", .fail, example(reads: 1, bytes: 200_000_000)),
      RuleExample(
        "reads not recorded", .notMeasured,
        SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.readsMeasured else {
      return .notMeasured(reason: "the recording has no events of reads")
    }
    let files = disk.files.filter {
      $0.bytesRead > largeBytes && $0.bytesRead / UInt64(max($0.reads, 1)) >= 1 << 20
    }
    guard disk.files.contains(where: { $0.bytesRead > largeBytes }) else {
      return .notApplicable(reason: "no large file was read")
    }
    return .measured(
      RuleFinding(
        fact: Double(files.count),
        displayValue: files.isEmpty
          ? "no large file was read whole"
          : "\(Figures.count(files.count, "large file")) read whole",
        evidence: DiskFiles.rows(files, unit: "bytes") { Double($0.bytesRead) },
        savings: scale.saving(of: Double(files.count))))
  }

  private static func example(reads: Int, bytes: UInt64) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      disk: DiskSignal(
        files: [FileUse(path: "/data/model.bin", reads: reads, bytesRead: bytes)],
        readsMeasured: true))
  }
}
