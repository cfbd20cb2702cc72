import Quantities
import Signals

/// Small writes must be joined, so that the disk can rest.
package enum WriteFrequencyRule: Rule {
  /// How many small writes to a file weigh as much as one burst of writes.
  static let smallWritesPerBurst = 10.0

  package static let metadata = RuleMetadata(
    id: "write-frequency", title: "Join small writes", category: .disk,
    guide: [Guide.reducePower, Guide.fileAccess], signals: [.disk], unit: "1/min",
    measuredAs: "the larger of: bursts of writes (writes less than 1 s apart are one) and a tenth "
      + "of the writes under 4 KiB beyond the first to each file; per minute",
    advice: "Collect changes in memory and write them together: a buffered FileHandle or a Data "
      + "that is appended once, one SQLite transaction for many rows. Save when something changed "
      + "and the user pauses, not on a timer.",
    examples: [
      RuleExample(
        "one file saved", .pass,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            writes: 3, bytesWritten: 3000, smallWrites: 3, writeBursts: 1,
            files: [FileUse(path: "state.json", writes: 3, bytesWritten: 3000, smallWrites: 3)]))),
      RuleExample(
        "a log flushed line by line", .fail,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            writes: 2000, bytesWritten: 160_000, smallWrites: 2000, writeBursts: 1,
            files: [
              FileUse(path: "app.log", writes: 2000, bytesWritten: 160_000, smallWrites: 2000)
            ]))),
      RuleExample("no writes", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.writes > 0 else { return .nothing(reason: "no regular file was written") }
    // The first small write to a file could not have been joined to an earlier one.
    let repeated =
      disk.files.isEmpty
      ? max(0, disk.smallWrites - 1)
      : disk.files.reduce(0) { $0 + max(0, $1.smallWrites - 1) }
    let bursts = EventSum(count: disk.writeBursts)
    let small = EventSum(
      total: Double(repeated) / smallWritesPerBurst, events: repeated,
      recorded: disk.smallWritesRecorded, unseen: 1 / smallWritesPerBurst)
    let rate = Exposure(signals).perMinute(small.total > bursts.total ? small : bursts)
    // Writes of one group wake the disk once: joining them saves no more than the groups cost.
    let saved = min(joinable(disk), disk.writeBursts)
    return .measured(
      RuleFinding(
        rate: rate,
        displayValue: "\(Figures.count(disk.writes, "write")) in "
          + "\(Figures.count(disk.writeBursts, "burst")), \(Figures.grouped(disk.smallWrites)) under 4 KiB",
        evidence: DiskFiles.rows(disk.files, unit: "writes") { Double($0.writes) },
        savings: scale.saving(
          of: rate.value, joules: Double(saved) * signals.priors.joulesPerDiskOperation)))
  }

  /// Writes that a buffer of 64 KiB would have saved, by the replay of each file's writes.
  private static func joinable(_ disk: DiskSignal) -> Int {
    disk.files.reduce(0) { $0 + max(0, $1.writes - ($1.joinedWrites ?? $1.writes)) }
  }
}
