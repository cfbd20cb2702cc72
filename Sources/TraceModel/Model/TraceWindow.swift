import PerfData
import Quantities

/// A part of a recording, in seconds from its start.
public struct TraceWindow: Sendable, Hashable {
  public var from: Double
  public var to: Double

  /// From `from` (the start, when it is nil) to `to` (the end).
  public init(from: Double? = nil, to: Double? = nil) {
    self.from = max(from ?? 0, 0)
    self.to = max(to ?? .infinity, self.from)
  }

  /// The moments of the window in a recording that starts then.
  func range(from start: Timestamp) -> ClosedRange<Timestamp> {
    let first = start + TimeSpan(seconds: from)
    return first...max(first, start + TimeSpan(seconds: to))
  }
}

extension Trace {
  /// The trace as if only the window had been recorded; times still count from the recording's start.
  func limited(to window: TraceWindow) -> Trace {
    var part = self
    let from = start + TimeSpan(seconds: window.from)
    let to = min(end, start + TimeSpan(seconds: window.to))
    func isInside(_ time: Timestamp) -> Bool { time >= from && time <= to }
    part.end = max(to, from)
    part.startsLate = startsLate || subject.start < from
    part.threads = threads.compactMap { $0.limited(from, to) }
    part.wakeups = WakeupLog(wakeups.lazy.filter { isInside($0.time) })
    part.transfers = TransferLog(transfers.lazy.filter { isInside($0.time) })
    part.countedSpans = countedSpans.filter { $0.from >= from && $0.to <= to }
    part.transferFailures = transferFailures.filter { isInside($0.time) }
    part.spinCalls = spinCalls.filter { isInside($0.time) }
    part.jobs = JobLog(jobs.lazy.compactMap { $0.limited(from, to) })
    part.createdTasks = TaskLog(createdTasks.lazy.filter { isInside($0.time) })
    part.contents = contents.filter { isInside($0.time) }
    part.packets = packets.filter { isInside($0.time) }
    part.fileOperations = FileOperations(fileOperations.lazy.filter { isInside($0.time) })
    part.counters = counters.map { $0.limited(from, to, start: start) }
    part.footprints = footprints.filter { isInside($0.time) }
    part.tests = tests.filter { $0.start <= to && ($0.end ?? to) >= from }
    part.signals = signals.filter { isInside($0.time) }
    part.processorSamples = processorSamples.filter { isInside($0.time) }
    part.processes = processes.filter { $0.start <= to && ($0.end ?? to) >= from }.map {
      $0.limited(from, to)
    }
    ProcessTotals.fill(
      &part.processes, threads: part.threads, wakeups: part.wakeups,
      transfers: part.transferTotals, operations: part.fileOperations, footprints: part.footprints)
    part.subject =
      part.processes.first { $0.pid == subject.pid } ?? subject.limited(from, to)
    // The subject's life begins with its program, which may be after its process's.
    part.subject.start = max(subject.start, from)
    part.metadata.durationSeconds = (part.end - from).seconds
    return part
  }
}

extension ThreadModel {
  /// The thread's life between two moments; nil when it did not live then.
  fileprivate func limited(_ from: Timestamp, _ to: Timestamp) -> ThreadModel? {
    guard start <= to, end.map({ $0 >= from }) ?? true else { return nil }
    var part = self
    part.start = max(start, from)
    if let end, end > to { part.end = nil }
    part.intervals = ThreadHistory(
      intervals.lazy.filter { $0.end > from && $0.start < to }.map { interval in
        var inside = interval
        inside.start = max(interval.start, from)
        inside.end = min(interval.end, to)
        return inside
      })
    return part
  }
}

extension JobRun {
  /// What of the run is between two moments; nil when nothing is.
  fileprivate func limited(_ from: Timestamp, _ to: Timestamp) -> JobRun? {
    guard end > from, start < to else { return nil }
    var part = self
    part.end = min(end, to)
    // Its wait was over before.
    if start < from { (part.start, part.enqueued) = (from, nil) }
    return part
  }
}

extension ProcessModel {
  fileprivate func limited(_ from: Timestamp, _ to: Timestamp) -> ProcessModel {
    var part = self
    part.start = max(start, from)
    if let end, end > to { part.end = nil }
    part.cpuSeconds = 0
    part.wakeups = 0
    part.bytesWritten = 0
    part.bytesSent = 0
    part.bytesReceived = 0
    part.peakFootprintBytes = 0
    return part
  }
}
