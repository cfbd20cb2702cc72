import Signals

/// What changes often is to lie where it is not backed up.
package enum BackupChurnRule: Rule {
  package static let metadata = RuleMetadata(
    id: "backup-churn", title: "Keep what changes often out of backed-up places", category: .disk,
    guide: [Guide.backedUp], signals: [.disk], unit: "MB/min",
    measuredAs: "bytes rewritten under the user's data and document directories (.local/share, "
      + ".config, Documents and the like) per minute",
    advice:
      "Put what can be made or fetched again under XDG_CACHE_HOME (Caches on Apple's systems) "
      + "or XDG_STATE_HOME, and update large documents in place.",
    examples: [
      RuleExample(
        "a document saved twice", .pass, example("/home/me/Documents/a.txt", rewritten: 20_000)),
      RuleExample(
        "a store rewritten again and again", .fail,
        example("/home/me/.local/share/app/store.json", rewritten: 200_000_000)),
      RuleExample("no writes", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    DiskFiles.outcome(
      signals, scale, noun: "backed-up directories", amount: { $0.rewrittenBytes },
      where: isBackedUp)
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

  private static func example(_ path: String, rewritten: UInt64) -> SignalSet {
    DiskFiles.example(
      FileUse(
        path: path, writes: 5, bytesWritten: rewritten + 1000, rewrites: rewritten > 0 ? 4 : 0,
        rewrittenBytes: rewritten))
  }
}
