import Quantities
import Signals

/// Little must be written to disk.
package enum BytesWrittenRule: Rule {
  /// How often a program that has ended is taken to be run again.
  static let runsPerDay = 24.0

  package static let metadata = RuleMetadata(
    id: "bytes-written", title: "Write little to disk", category: .disk,
    guide: [Guide.fileAccess], signals: [.disk], unit: "MB/day",
    measuredAs: "bytes handed to regular files, projected to 24 hours; a program that was recorded "
      + "from its start to its end within an hour is taken to be run once an hour, unless the bytes "
      + "flow steadily for ten seconds or more (the median tenth of the recording)",
    advice: "Write what changed, not what is: append, or update rows in SQLite. Keep caches in "
      + "memory (NSCache), log less in release builds, and compress what must be kept.",
    examples: [
      RuleExample(
        "a document of 200 kB saved once in an hour", .pass,
        SignalSet(
          durationSeconds: 3600,
          disk: DiskSignal(writes: 4, bytesWritten: 200_000, writeBursts: 1))),
      RuleExample(
        "a steady stream of 100 kB a second", .fail,
        SignalSet(
          durationSeconds: 60,
          disk: DiskSignal(
            writes: 600, bytesWritten: 6_000_000, writeBursts: 1, steadyBytesPerSecond: 100_000))),
      RuleExample("no writes", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.writes > 0 else { return .nothing(reason: "no regular file was written") }
    let seconds = signals.durationSeconds
    let megabytes = Double(disk.bytesWritten) / 1e6
    let rate: Rate
    let isRun = signals.isWholeRun && seconds < 3600
    let steady = seconds >= 10 ? (disk.steadyBytesPerSecond ?? 0) * 86400 / 1e6 : 0
    var assumed = ""
    if isRun {
      let perDay = max(megabytes * runsPerDay, steady)
      assumed = steady >= perDay ? ", were it to go on so" : " of a run an hour"
      rate = Rate(
        value: perDay, bounds: sampling(disk).scaled(by: perDay),
        doubt: disk.sampledBytes == nil ? nil : Rate.sampled)
    } else {
      var seen = Exposure(signals).perDay(
        EventSum(total: megabytes, events: DiskFiles.spells(disk), unseen: 0))
      let sampling = sampling(disk)
      seen.bounds = Bounds(
        low: seen.bounds.low * sampling.low, high: seen.bounds.high * sampling.high)
      rate = seen
    }
    var display =
      "\(Figures.bytes(megabytes * 1e6)), \(Figures.bytes(rate.value * 1e6)) in a day" + assumed
    if let device = disk.deviceBytesWritten {
      display += "; \(Figures.bytes(device)) reached the device"
    }
    return .measured(
      RuleFinding(
        rate: rate, displayValue: display,
        evidence: DiskFiles.rows(disk.files, unit: "bytes") { Double($0.bytesWritten) },
        savings: scale.saving(of: rate.value)))
  }

  /// How many times as much it may have been as was estimated, of writes of which some only were recorded.
  private static func sampling(_ disk: DiskSignal) -> Bounds {
    guard let sampled = disk.sampledBytes, disk.bytesWritten > 0 else { return .exactly(1) }
    let (bounds, whole) = (EventSum(sampled).bounds, Double(disk.bytesWritten))
    return Bounds(
      low: 1 - (sampled.total - bounds.low) / whole, high: 1 + (bounds.high - sampled.total) / whole
    )
  }
}
