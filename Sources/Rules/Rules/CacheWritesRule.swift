import Signals

/// Caches belong in memory.
package enum CacheWritesRule: Rule {
  package static let metadata = RuleMetadata(
    id: "cache-writes", title: "Do not write caches to disk", category: .disk,
    guide: [Guide.fileAccess], signals: [.disk], unit: "MB/min",
    measuredAs:
      "bytes written under cache and temporary directories (/tmp, /var/tmp, .cache, Caches "
      + "and the like) per minute, less the state that is saved as the program quits (after SIGTERM or SIGINT, "
      + "or in the "
      + "last second of a run of ten and more)",
    advice: "Keep caches in memory (NSCache, a dictionary with a limit, memfd or /dev/shm for big "
      + "scratch data), and write what the next start really needs once, at the end. Data too large for memory is "
      + "right here, and better than where it is backed up (backup-churn weighs ten times as much).",
    examples: [
      RuleExample("a thumbnail", .pass, example("/home/me/.cache/app/a.png", 50_000)),
      RuleExample(
        "nothing but documents", .notApplicable, example("/home/me/notes.txt", 5_000_000)),
      RuleExample("a cache of 1.5 GB", .fail, example("/home/me/.cache/app/blob", 1_500_000_000)),
      RuleExample(
        "the same, saved as the program quits", .notApplicable,
        example("/home/me/.cache/app/state", 1_500_000_000, quitting: 1_500_000_000)),
      RuleExample("no writes", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    DiskFiles.outcome(
      signals, scale, noun: "cache and temporary directories",
      amount: { $0.bytesWritten - min($0.quittingBytes, $0.bytesWritten) }, where: isCache)
  }

  /// Whether a path lies under a cache or temporary directory.
  static func isCache(_ path: String) -> Bool {
    if path.hasPrefix("/tmp/") || path.hasPrefix("/var/tmp/") || path.hasPrefix("/var/cache/") {
      return true
    }
    let names: Set<Substring> = [".cache", "Caches", "cache", "caches"]
    return path.split(separator: "/").dropLast().contains(where: names.contains)
  }

  private static func example(_ path: String, _ bytes: UInt64, quitting: UInt64 = 0) -> SignalSet {
    var file = FileUse(path: path, writes: 5, bytesWritten: bytes)
    file.quittingBytes = quitting
    return DiskFiles.example(file)
  }
}
