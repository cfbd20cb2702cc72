import PerfData

/// The machine's own meters as a source: RAPL through powercap, batteries, and rails of boards.
///
/// Each writes the joules since the recording began, as a counter. None knows processes: with them the time is
/// written in which all processors were busy, by which a process can be given its share.
final class PowerSource: RecordingSource {
  /// The counter of the time in which processors were busy, in seconds.
  static let busyTime = "machine-busy"

  private let pid: Int32
  private let root: String
  private var meters: [any PowerMeter]
  private var firstBusy: Double?
  private var next = UInt64.max

  private static let interval: UInt64 = 1_000_000_000

  /// Finds the meters; nil where there is none, or no counters are wanted. `root` is before /sys and /proc, for tests.
  init?(pid: Int32, names: [String]? = nil, root: String = "") {
    guard names?.isEmpty != true else { return nil }
    self.pid = pid
    self.root = root
    meters =
      PowercapMeter.all(root: root) as [any PowerMeter] + BatteryMeter.all(root: root)
      + RailMeter.all(root: root)
    if meters.isEmpty { return nil }
  }

  func start(at time: UInt64) {
    _ = readings(now: time, final: false)
    next = time + Self.interval
  }

  func nextDue(now: UInt64) -> UInt64 { next }

  func collect(_ round: Round) throws(PerfDataError) {
    guard round.now >= next else { return }
    next = round.now + Self.interval
    try write(readings(now: round.now, final: false), round)
  }

  func endPart(_ round: Round) throws(PerfDataError) {
    try write(readings(now: round.now, final: false), round)
  }

  /// From where the part counts.
  func beginPart(_ round: Round) throws(PerfDataError) {
    try write(readings(now: round.now, final: false).map(\.asBase), round)
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    try write(readings(now: round.now, final: true), round)
  }

  private func write(_ readings: [CounterEvent], _ round: Round) throws(PerfDataError) {
    for reading in readings { try round.sink.append(reading, pid: pid, time: round.now) }
  }

  /// What each meter tells, and the processors' busy time.
  func readings(now: UInt64, final: Bool) -> [CounterEvent] {
    var readings: [CounterEvent] = []
    for index in meters.indices {
      guard let joules = meters[index].joules(now: now) else { continue }
      readings.append(
        CounterEvent(name: meters[index].name, value: joules, unit: "J", final: final))
    }
    // A package's counter is root's alone to read since Linux 5.10.
    guard !readings.isEmpty else { return [] }
    if let busy = Self.busySeconds(KernelFile.text(root + "/proc/stat") ?? "") {
      if firstBusy == nil { firstBusy = busy }
      readings.append(
        CounterEvent(
          name: Self.busyTime, value: busy - (firstBusy ?? busy), unit: "s", final: final))
    }
    return readings
  }

  /// Seconds in which processors did something, of /proc/stat's first line: user, nice, system, irq and softirq, in
  /// hundredths (USER_HZ); guests' are in the users'.
  static func busySeconds(_ stat: String) -> Double? {
    let fields = stat.prefix { $0 != "\n" }.split(separator: " ")
    guard fields.first == "cpu", fields.count >= 8 else { return nil }
    return [1, 2, 3, 6, 7].reduce(0) { $0 + (Double(fields[$1]) ?? 0) } / 100
  }
}
