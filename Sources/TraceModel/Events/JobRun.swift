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

  public var length: TimeSpan { end - start }
  /// From being handed over to running.
  public var wait: TimeSpan? { enqueued.map { start - $0 } }
}
