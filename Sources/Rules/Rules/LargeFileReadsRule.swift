import Quantities
import Signals

/// Large files are to be mapped or read in parts.
package enum LargeFileReadsRule: Rule {
  /// Held to this share or more at once, a file was loaded whole rather than read in parts.
  static let wholeShare = 0.5

  package static let metadata = RuleMetadata(
    id: "large-file-reads", title: "Map large files instead of loading them", category: .memory,
    guide: [Guide.allocate], signals: [.disk, .memory], unit: "files",
    measuredAs:
      "regular files of which more than 4 MiB were read in one go (pauses of less than half a second), however "
      + "small the calls, while the footprint rose by half of that or more; a file that is mapped, or read "
      + "through a buffer of its own, raises it by little",
    advice:
      "Use Data(contentsOf:options:.alwaysMapped) or mmap, which load only the pages that are "
      + "touched, or read in pieces with FileHandle.bytes or NIOFileSystem's chunks and let go of each.",
    examples: [
      RuleExample("a file read through a buffer", .pass, example(held: 3_000_000)),
      RuleExample("200 MB in reads of 4 KiB, all kept", .fail, example(held: 200_000_000)),
      RuleExample(
        "200 MB kept, and of which file is not known", .notMeasured,
        example(path: nil, held: 200_000_000)),
      RuleExample(
        "reads not recorded", .notMeasured,
        SignalSet(durationSeconds: 60, disk: DiskSignal(), memory: MemorySignal())),
      RuleExample(
        "no large file", .notApplicable,
        SignalSet(
          durationSeconds: 60, disk: DiskSignal(readsMeasured: true), memory: MemorySignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.readsMeasured else {
      return .notMeasured(reason: "the recording has no events of reads")
    }
    guard !disk.loads.isEmpty else { return .nothing(reason: "no large file was read") }
    guard disk.loads.allSatisfy({ $0.heldBytes != nil }) else {
      return .notMeasured(reason: "the footprint was not read before and after a large read")
    }
    let whole = disk.loads.filter {
      Double($0.heldBytes ?? 0) >= wholeShare * Double($0.bytes)
    }
    let paths = Set(whole.compactMap(\.path))
    if paths.isEmpty, let load = whole.first {
      return .notMeasured(
        reason:
          "\(Figures.bytes(load.bytes)) in \(Figures.count(load.reads, "read")) were kept in memory, and of which "
          + "file they were is not known")
    }
    return .measured(
      RuleFinding(
        fact: Double(paths.count),
        displayValue: paths.isEmpty
          ? "no large file was read whole"
          : "\(Figures.count(paths.count, "large file")) read whole",
        evidence: (paths.isEmpty ? disk.loads : whole).prefix(5).map {
          Evidence(
            summary: "\($0.path ?? "a file"): \(Figures.bytes($0.bytes)) in "
              + "\(Figures.count($0.reads, "read")), \(Figures.bytes($0.heldBytes ?? 0)) more in memory",
            value: Double($0.bytes), unit: "bytes", time: $0.start, path: $0.path)
        },
        savings: scale.saving(of: Double(paths.count))))
  }

  private static func example(path: String? = "/data/model.bin", held: UInt64) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      disk: {
        var disk = DiskSignal(readsMeasured: true)
        disk.loads = [
          FileLoad(
            path: path, start: 3, durationSeconds: 0.2, bytes: 200_000_000, reads: 48_829,
            heldBytes: held)
        ]
        return disk
      }(), memory: MemorySignal(peakFootprintBytes: held))
  }
}
