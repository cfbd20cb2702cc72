import Quantities
import Signals

/// Little must be written to disk.
package enum BytesWrittenRule: Rule {
  package static let metadata = RuleMetadata(
    id: "bytes-written", title: "Write little to disk", category: .disk,
    guide: [Guide.fileAccess], signals: [.disk], unit: "MB/day",
    measuredAs: "bytes handed to regular files, projected to 24 hours; a recording shorter than an "
      + "hour counts as an hour, unless the bytes flow steadily for ten seconds or more (the "
      + "median tenth of the recording)",
    advice: "Write what changed, not what is: append, or update rows in SQLite. Keep caches in "
      + "memory (NSCache), log less in release builds, and compress what must be kept.",
    examples: [
      RuleExample(
        "a document of 200 kB saved once", .pass,
        SignalSet(
          durationSeconds: 60,
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
    guard disk.writes > 0 else { return .notApplicable(reason: "no regular file was written") }
    let seconds = signals.durationSeconds
    var perDay = Rates.perDay(Double(disk.bytesWritten), over: seconds)
    if seconds >= 10, let steady = disk.steadyBytesPerSecond {
      perDay = max(perDay, steady * 86400)
    }
    let value = perDay / 1e6
    var display =
      "\(Figures.bytes(disk.bytesWritten)), \(Figures.bytes(perDay)) in a day"
    if let device = disk.deviceBytesWritten {
      display += "; \(Figures.bytes(device)) reached the device"
    }
    return .measured(
      RuleFinding(
        value: value, displayValue: display,
        evidence: DiskFiles.rows(disk.files, unit: "bytes") { Double($0.bytesWritten) },
        savings: scale.saving(of: value)))
  }
}
