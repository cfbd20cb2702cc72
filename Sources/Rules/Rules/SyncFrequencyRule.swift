import Quantities
import Signals

/// Changes must be collected before they are forced to the device.
package enum SyncFrequencyRule: Rule {
  package static let metadata = RuleMetadata(
    id: "sync-frequency", title: "Sync seldom", category: .disk,
    guide: [Guide.fileAccess, Guide.reducePower], signals: [.disk], unit: "1/min",
    measuredAs: "fsync, fdatasync, sync_file_range, msync and writes with O_SYNC, per minute",
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
        "syncs of which it is not known how long they took", .fail,
        SignalSet(
          durationSeconds: 20,
          disk: {
            var disk = DiskSignal(writes: 100, bytesWritten: 409_600, syncs: 100)
            disk.syncsUntimed = 100
            return disk
          }())),
      RuleExample(
        "nothing written or synced", .notApplicable,
        SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.syncs > 0 else { return .nothing(reason: "nothing was synced") }
    let rate = Exposure(signals).perMinute(
      EventSum(count: disk.syncs, recorded: disk.syncsRecorded))
    let timed = disk.syncs - disk.syncsUntimed
    let stall =
      timed == 0
      ? ""
      : ", \(Figures.seconds(disk.syncSeconds)) stalled"
        + (timed < disk.syncs ? " in \(Figures.grouped(timed)) of them" : "")
    return .measured(
      RuleFinding(
        rate: rate, displayValue: "\(Figures.count(disk.syncs, "sync"))\(stall)",
        evidence: DiskFiles.rows(disk.files, unit: "syncs") { Double($0.syncs) },
        savings: scale.saving(
          of: rate.value, joules: Double(disk.syncs) * signals.priors.joulesPerDiskOperation,
          seconds: disk.syncSeconds)))
  }
}
