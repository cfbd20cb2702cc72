import PerfData
import TraceModel

/// What a process did between two moments.
struct SubjectActivity {
  let subject: SubjectView
  private let running: [(start: Timestamp, end: Timestamp)]
  private let starts: CumulativeSeries
  private let ends: CumulativeSeries
  private let allWakeups: CumulativeSeries
  private let idleWakeups: CumulativeSeries
  private let timerWakeups: CumulativeSeries
  private let sent: CumulativeSeries
  private let received: CumulativeSeries
  private let written: CumulativeSeries
  private let origin: UInt64

  init(_ subject: SubjectView, wakeups: WakeupMeasure) {
    self.subject = subject
    let origin = subject.trace.start.nanoseconds
    self.origin = origin
    let running = subject.threads.flatMap { thread in
      thread.intervals.filter { $0.state == .running }.map { (start: $0.start, end: $0.end) }
    }.sorted { $0.start < $1.start }
    self.running = running
    func seconds(_ time: Timestamp) -> Double { Double(time.nanoseconds &- origin) / 1e9 }
    starts = CumulativeSeries(running.map { ($0.start.nanoseconds, seconds($0.start)) })
    ends = CumulativeSeries(running.map { ($0.end.nanoseconds, seconds($0.end)) })
    func count(_ isCounted: (Wakeup, WakeupMeasure.Cause) -> Bool) -> CumulativeSeries {
      CumulativeSeries(
        wakeups.wakeups.filter { isCounted($0.wakeup, $0.cause) }
          .map { ($0.wakeup.time.nanoseconds, 1) })
    }
    allWakeups = count { _, _ in true }
    idleWakeups = count { wakeup, _ in wakeup.isIdleWakeup }
    timerWakeups = count { _, cause in cause == .timer }
    let transfers = subject.trace.transfers.filter { $0.pid == subject.pid && $0.isInternet }
    func bytes(_ direction: Transfer.Direction) -> CumulativeSeries {
      CumulativeSeries(
        transfers.filter { $0.direction == direction }
          .map { ($0.time.nanoseconds, Double($0.bytes &* $0.weight)) })
    }
    sent = bytes(.send)
    received = bytes(.receive)
    written = CumulativeSeries(
      subject.trace.fileOperations.compactMap { operation in
        guard operation.pid == subject.pid, operation.isDisk, case .write = operation.kind else {
          return nil
        }
        return (operation.time.nanoseconds, Double(operation.bytes &* operation.weight))
      })
  }

  /// CPU time of all threads.
  func cpuSeconds(_ from: Timestamp, _ to: Timestamp) -> Double {
    max(0, cpuSeconds(before: to) - cpuSeconds(before: from))
  }

  /// Of each span that began, the part that lies before a moment.
  private func cpuSeconds(before time: Timestamp) -> Double {
    let at = Double(time.nanoseconds &- origin) / 1e9
    let begun = starts.before(time.nanoseconds)
    let ended = ends.before(time.nanoseconds)
    return (at * Double(begun.count) - begun.sum) - (at * Double(ended.count) - ended.sum)
  }

  func wakeups(_ from: Timestamp, _ to: Timestamp) -> (all: Int, idle: Int, timer: Int) {
    func count(_ series: CumulativeSeries) -> Int {
      Int(series.sum(from: from.nanoseconds, to: to.nanoseconds))
    }
    return (count(allWakeups), count(idleWakeups), count(timerWakeups))
  }

  func bytes(_ from: Timestamp, _ to: Timestamp) -> (
    sent: UInt64, received: UInt64, written: UInt64
  ) {
    func sum(_ series: CumulativeSeries) -> UInt64 {
      UInt64(max(0, series.sum(from: from.nanoseconds, to: to.nanoseconds)))
    }
    return (sum(sent), sum(received), sum(written))
  }

  /// Groups of writes and syncs: what the disk has to wake for.
  func diskOperations(_ from: Timestamp, _ to: Timestamp) -> Int {
    var count = 0
    var last: Timestamp?
    for operation in subject.trace.fileOperations
    where operation.pid == subject.pid && operation.isDisk && operation.time >= from
      && operation.time < to
    {
      switch operation.kind {
      case .write:
        if last.map({ (operation.time - $0).seconds >= DiskMeasure.burstGap }) ?? true {
          count += 1
        }
        last = operation.time
      case .sync: count += Int(clamping: operation.weight)
      default: break
      }
    }
    return count
  }

  /// The time from a moment until no thread ran for a second; nil when that did not come.
  func quietAfter(_ from: Timestamp, until end: Timestamp) -> Double? {
    var quiet = from
    for span in running where span.end > from && span.start < end {
      if span.start > quiet, (span.start - quiet).seconds >= 1 { break }
      quiet = max(quiet, min(span.end, end))
    }
    let next = running.first { $0.start > quiet }?.start ?? end
    let gap = min(next, end)
    return gap > quiet && (gap - quiet).seconds >= 1 ? (quiet - from).seconds : nil
  }

  /// The longest spell of running with pauses of less than 100 ms.
  func longestBusy(_ from: Timestamp, _ to: Timestamp) -> Double {
    var longest = 0.0
    var begin: Timestamp?
    var last = from
    for span in running where span.end > from && span.start < to {
      let start = max(span.start, from)
      if begin == nil || (start > last && (start - last).seconds >= 0.1) { begin = start }
      last = max(last, min(span.end, to))
      if let begin { longest = max(longest, (last - begin).seconds) }
    }
    return longest
  }

  /// The last reading of the footprint at or before a moment, not older than a second.
  func footprint(at time: Timestamp) -> UInt64? {
    let before = subject.trace.footprints.last { $0.pid == subject.pid && $0.time <= time }
    guard let before, (time - before.time).seconds <= 1 else { return nil }
    return before.sample.footprint
  }

  /// The lowest footprint between two moments.
  func lowestFootprint(_ from: Timestamp, _ to: Timestamp) -> UInt64? {
    subject.trace.footprints.filter {
      $0.pid == subject.pid && $0.time >= from && $0.time <= to
    }.map(\.sample.footprint).min()
  }
}
