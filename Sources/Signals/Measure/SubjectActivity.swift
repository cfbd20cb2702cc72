import Quantities
import TraceModel

/// What a process did between two moments.
struct SubjectActivity {
  let subject: SubjectView
  private let wakeups: WakeupMeasure
  /// In the whole recording.
  private let allWakeups: WakeupCounts
  private let sent: CumulativeSeries
  private let received: CumulativeSeries
  private let written: CumulativeSeries

  init(_ subject: SubjectView, wakeups: WakeupMeasure) {
    self.subject = subject
    self.wakeups = wakeups
    let signal = wakeups.signal
    allWakeups = WakeupCounts(
      all: signal.total, idle: signal.idle, foundCPUIdle: signal.foundCPUIdle,
      timer: signal.byCause[.timer] ?? 0)
    let transfers = subject.trace.transfers.internet(of: subject.pid)
    func bytes(_ direction: Transfer.Direction) -> CumulativeSeries {
      CumulativeSeries(
        transfers.compactMap {
          $0.direction == direction
            ? ($0.time.nanoseconds, Double($0.bytes &* $0.weight)) : nil
        })
    }
    sent = bytes(.send)
    received = bytes(.receive)
    written = CumulativeSeries(
      subject.trace.fileOperations.onDisk(by: subject.pid).compactMap { operation in
        guard case .write = operation.kind else { return nil }
        return (operation.time.nanoseconds, Double(operation.bytes &* operation.weight))
      })
  }

  /// CPU time of all threads.
  func cpuSeconds(_ from: Timestamp, _ to: Timestamp) -> Double {
    if let readings = subject.readings {
      return (readings.used(before: to) - readings.used(before: from)).seconds
    }
    var sum = TimeSpan.zero
    for thread in subject.threads where thread.start < to && (thread.end ?? to) >= from {
      sum += thread.intervals.runningTime(before: to) - thread.intervals.runningTime(before: from)
    }
    return max(0, sum.seconds)
  }

  /// CPU time of all threads in spans that follow each other.
  func cpuSeconds(in spans: [(from: Timestamp, to: Timestamp)]) -> Double {
    if subject.readings != nil { return spans.reduce(0) { $0 + cpuSeconds($1.from, $1.to) } }
    var sum = TimeSpan.zero
    for thread in subject.threads where thread.runningTime > .zero {
      var walk = ThreadHistory.Walk(thread.intervals)
      for span in spans where thread.start < span.to && (thread.end ?? span.to) >= span.from {
        let before = walk.times(before: span.from).running
        sum += walk.times(before: span.to).running - before
      }
    }
    return sum.seconds
  }

  /// When threads ran between two moments, by their starts.
  private func running(_ from: Timestamp, _ to: Timestamp) -> [ThreadInterval] {
    subject.threads.flatMap { thread in
      thread.intervals.overlapping(from, to).filter { $0.state == .running }
    }.sorted { $0.start < $1.start }
  }

  func wakeups(_ from: Timestamp, _ to: Timestamp) -> WakeupCounts {
    if from <= subject.trace.wakeups.earliest, to > subject.trace.wakeups.latest {
      return allWakeups
    }
    var counts = WakeupCounts()
    for entry in wakeups.between(from, to) {
      counts.add(entry.wakeup)
      if entry.cause == .timer { counts.timer += 1 }
    }
    return counts
  }

  func bytes(_ from: Timestamp, _ to: Timestamp) -> (
    sent: UInt64, received: UInt64, written: UInt64
  ) {
    func sum(_ series: CumulativeSeries) -> UInt64 {
      UInt64(saturating: series.sum(from: from.nanoseconds, to: to.nanoseconds))
    }
    return (sum(sent), sum(received), sum(written))
  }

  /// What was asked of the disk in spans that follow each other, by their starts; the last has no end.
  func diskWork(in starts: [Timestamp]) -> [DiskWork] {
    var meter = DiskWorkMeter()
    var works = [DiskWork](repeating: DiskWork(), count: starts.count)
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid) {
      let work = meter.work(of: operation)
      let next = starts.partitioningIndex { $0 > operation.time }
      if next > 0 { works[next - 1] += work }
    }
    return works
  }

  /// The time from a moment until no thread ran for a second; nil when that did not come.
  func quietAfter(_ from: Timestamp, until end: Timestamp) -> Double? {
    var quiet = from
    let running = running(from, end)
    for span in running {
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
    for span in running(from, to) {
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
