import PerfData
import Quantities

/// One run of a job of Swift concurrency: from where a task goes on to where it suspends or ends.
public struct JobRun: Sendable {
  public var start: Timestamp
  public var end: Timestamp
  public var pid: Int32
  public var tid: Int32
  /// When it was handed to its executor, where that was seen.
  public var enqueued: Timestamp?
  /// Whether MainActor's executor ran it.
  public var isMainActor: Bool
  /// The function that goes on; the runtime's own where a task starts.
  public var function: Frame?
  /// Tells the runs of one task from those of others that lived at the same time.
  public var task: UInt64?

  public var length: TimeSpan { end - start }
  /// From being handed over to running.
  public var wait: TimeSpan? { enqueued.map { start - $0 } }
}

extension JobRun: TableRow {
  func leavingOut(_ pid: Int32, before time: Timestamp) -> JobRun? {
    self.pid == pid && start < time ? nil : self
  }

  func kept(in window: TraceWindow.Bounds) -> JobRun? {
    guard end > window.from, start < window.to else { return nil }
    var part = self
    part.end = min(end, window.to)
    // Its wait was over before.
    if start < window.from { (part.start, part.enqueued) = (window.from, nil) }
    return part
  }
}
