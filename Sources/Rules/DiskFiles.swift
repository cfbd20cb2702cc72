import Quantities
import Signals

/// What the rules about files have in common.
enum DiskFiles {
  /// The files with most of something, worst first.
  static func rows(
    _ files: [FileUse], unit: String, by amount: (FileUse) -> Double
  ) -> [Evidence] {
    // Those that are alike stay in the order of their first use.
    files.enumerated().filter { amount($0.element) > 0 }
      .sorted { (amount($0.element), $1.offset) > (amount($1.element), $0.offset) }.prefix(5)
      .map { _, file in
        let value = amount(file)
        let what = unit == "bytes" ? Figures.bytes(value) : "\(Figures.fixed(value, 0)) \(unit)"
        return Evidence(
          summary: "\(file.path): \(what)", value: value, unit: unit, path: file.path)
      }
  }

  /// In how many spells the program wrote: its bursts, or ten where bytes flow in most tenths of the recording.
  static func spells(_ disk: DiskSignal) -> Int {
    (disk.steadyBytesPerSecond ?? 0) > 0 ? max(disk.writeBursts, 10) : disk.writeBursts
  }

  /// Megabytes a minute that go to certain places.
  static func outcome(
    _ signals: SignalSet, _ scale: RuleScale, noun: String, amount: (FileUse) -> UInt64,
    where isThere: (String) -> Bool
  ) -> RuleOutcome {
    guard let disk = signals.disk else { return .notMeasured(reason: "not recorded") }
    guard disk.writes > 0 else { return .nothing(reason: "no regular file was written") }
    let files = disk.files.filter { isThere($0.path) }
    let bytes = files.reduce(0.0) { $0 + Double(amount($1)) }
    guard bytes > 0 else { return .nothing(reason: "nothing was written in \(noun)") }
    let rate = Exposure(signals).perMinute(
      EventSum(total: bytes / 1e6, events: spells(disk), unseen: 0))
    return .measured(
      RuleFinding(
        rate: rate, displayValue: "\(Figures.bytes(bytes)) in \(noun)",
        evidence: rows(files, unit: "bytes") { Double(amount($0)) },
        savings: scale.saving(of: rate.value)))
  }

  /// A recording of a minute in which one file was used.
  static func example(_ file: FileUse) -> SignalSet {
    SignalSet(
      durationSeconds: 60,
      disk: DiskSignal(
        writes: file.writes, bytesWritten: file.bytesWritten, writeBursts: 1, files: [file],
        rewrittenBytes: file.rewrittenBytes))
  }
}
