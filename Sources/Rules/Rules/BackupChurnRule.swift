import Signals

/// What changes often is to lie where it is not backed up.
package enum BackupChurnRule: Rule {
  package static let metadata = RuleMetadata(
    id: "backup-churn", title: "Keep what changes often out of backed-up places", category: .disk,
    guide: [Guide.backedUp], signals: [.disk], unit: "MB/min",
    measuredAs:
      "bytes written again, and bytes of files of which more than 4 MiB were written, under the user's data "
      + "and document directories (.local/share, .config, Documents and the like) per minute; what is saved once as "
      + "the program quits is left out",
    advice:
      "Keep in memory what can be; put what can be made or fetched again, and large data that changes, under "
      + "XDG_CACHE_HOME (Caches on Apple's systems) or XDG_STATE_HOME, and update large documents in place.",
    examples: [
      RuleExample(
        "a document saved twice", .pass, example("/home/me/Documents/a.txt", rewritten: 20_000)),
      RuleExample(
        "a store rewritten again and again", .fail,
        example("/home/me/.local/share/app/store.json", rewritten: 200_000_000)),
      RuleExample(
        "a data file of 300 MB", .fail,
        example("/home/me/Documents/map.bin", rewritten: 0, written: 300_000_000)),
      RuleExample(
        "the same where it is not backed up", .notApplicable,
        example("/home/me/.cache/app/map.bin", rewritten: 0, written: 300_000_000)),
      RuleExample(
        "the same, saved once as the program quits", .notApplicable,
        example(
          "/home/me/Documents/map.bin", rewritten: 0, written: 300_000_000, quitting: 300_000_000)),
      RuleExample("no writes", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    DiskFiles.outcome(
      signals, scale, noun: "backed-up directories", amount: churned, where: isBackedUp)
  }

  /// From here on a file is a large one.
  private static let largeBytes: UInt64 = 4 << 20

  private static func churned(_ file: FileUse) -> UInt64 {
    let written = file.bytesWritten - min(file.quittingBytes, file.bytesWritten)
    return written > largeBytes ? written : min(file.rewrittenBytes, written)
  }

  /// Whether a path lies under a directory of the user's data.
  static func isBackedUp(_ path: String) -> Bool {
    guard path.hasPrefix("/home/") || path.hasPrefix("/root/") || path.hasPrefix("/Users/") else {
      return false
    }
    if CacheWritesRule.isCache(path) { return false }
    return ["/.local/share/", "/.config/", "/Documents/", "/Desktop/", "/Pictures/", "/Music/"]
      .contains(where: path.contains)
  }

  private static func example(
    _ path: String, rewritten: UInt64, written: UInt64 = 1000, quitting: UInt64 = 0
  ) -> SignalSet {
    var file = FileUse(
      path: path, writes: 5, bytesWritten: rewritten + written, rewrites: rewritten > 0 ? 4 : 0,
      rewrittenBytes: rewritten)
    file.quittingBytes = quitting
    return DiskFiles.example(file)
  }
}
