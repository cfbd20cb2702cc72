import PerfData

/// Counters as a source: read at intervals, and once more at the end.
final class CounterSource: RecordingSource {
  private let counters: CounterSet
  private let pid: Int32
  private var next = UInt64.max

  private static let interval: UInt64 = 1_000_000_000

  /// Opens the counters of a process; nil where none is wanted.
  init?(names: [String]?, subject: RecordingSubject) {
    guard names?.isEmpty != true else { return nil }
    var onExec = false
    if case .command = subject { onExec = true }
    pid = subject.pid
    counters = CounterSet.open(names: names, pid: pid, enableOnExec: onExec)
  }

  var unavailable: [CaptureEvent.Unavailable] {
    counters.unavailable.map { .init(.counters, "\($0.name): \($0.reason)") }
  }

  func start(at time: UInt64) { if !counters.names.isEmpty { next = time + Self.interval } }

  func nextDue(now: UInt64) -> UInt64 { next }

  func collect(_ round: Round) throws(PerfDataError) {
    guard round.now >= next else { return }
    next = round.now + Self.interval
    try write(counters.readings(), round)
  }

  func endPart(_ round: Round) throws(PerfDataError) { try write(counters.readings(), round) }

  /// From where the part counts.
  func beginPart(_ round: Round) throws(PerfDataError) {
    try write(counters.readings().map(\.asBase), round)
  }

  func finish(_ ending: RecordingEnding, _ round: Round) throws(PerfDataError) {
    try write(counters.readings(final: true), round)
  }

  private func write(_ readings: [CounterEvent], _ round: Round) throws(PerfDataError) {
    for reading in readings { try round.sink.append(reading, pid: pid, time: round.now) }
  }
}
