import Signals

/// Changes must be collected before they are forced to the device.
public enum SyncFrequencyRule: Rule {
  static let good = 2.0

  public static let metadata = RuleMetadata(
    id: "sync-frequency", title: "Sync seldom", category: .disk,
    guide: [Guide.fileAccess, Guide.reducePower], signals: [.disk], unit: "1/min",
    curve: Curve(
      p10: good, median: 30, provenance: "a first choice: every 30 s, and every 2 s"),
    measuredAs: "fsync, fdatasync, sync_file_range, msync and writes with O_SYNC, per minute; a "
      + "recording shorter than a minute counts as a minute",
    advice: "Put many changes into one transaction and sync that: BEGIN … COMMIT around a batch, "
      + "PRAGMA journal_mode=WAL with synchronous=NORMAL, one FileHandle.synchronize() after the "
      + "last write. What can be made again needs no sync.",
    examples: [
      RuleExample(
        "one save with a sync", .pass,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(writes: 2, bytesWritten: 9000, syncs: 1, syncSeconds: 0.01))),
      RuleExample(
        "a sync after each of a hundred rows", .fail,
        SignalSet(
          durationSeconds: 20,
          disk: DiskSignal(writes: 100, bytesWritten: 409_600, syncs: 100, syncSeconds: 1.2))),
      RuleExample(
        "nothing written or synced", .notApplicable,
        SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  public static func evaluate(_ signals: SignalSet) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.writes > 0 || disk.syncs > 0 else {
      return .notApplicable(reason: "no regular file was written")
    }
    let seconds = signals.durationSeconds
    let value = Rates.perMinute(Double(disk.syncs), over: seconds)
    let allowed = good * max(seconds, 60) / 60
    let excess = max(0, Double(disk.syncs) - allowed)
    let share = disk.syncs > 0 ? excess / Double(disk.syncs) : 0
    let stall = disk.syncs > 0 ? ", \(Figures.seconds(disk.syncSeconds)) stalled" : ""
    return .measured(
      RuleFinding(
        value: value, displayValue: "\(Figures.count(disk.syncs, "sync"))\(stall)",
        evidence: DiskFiles.rows(disk.files, unit: "syncs") { Double($0.syncs) },
        savings: excess > 0
          ? Savings(
            value: value * share, joules: excess * signals.priors.joulesPerDiskOperation,
            seconds: disk.syncSeconds * share) : nil))
  }
}
