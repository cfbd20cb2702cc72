import PerfData
import Quantities

/// Why a thread was off the CPU.
public enum WaitCause: String, Codable, CaseIterable, Sendable {
  /// Idle on purpose: the thread waits for its next event.
  case eventWait
  case file, sync, network, lock, sleep, child, pageFault, ipc, other
}

/// What a thread was doing.
public enum ThreadState: Hashable, Sendable {
  case running
  /// Ready, and waiting for a CPU.
  case runnable
  case blocked(WaitCause)
}

/// A span of a thread's life in one state.
public struct ThreadInterval: Sendable {
  public var start: Timestamp
  public var end: Timestamp
  public var state: ThreadState
  /// Index into `Trace.stacks` of the stack that the thread blocked with.
  public var stack: Int?
  /// The thread that ended a blocked span, where it was seen and no interrupt did it.
  public var waker: Int32?

  /// Makes an interval.
  public init(
    start: Timestamp, end: Timestamp, state: ThreadState, stack: Int? = nil, waker: Int32? = nil
  ) {
    self.start = start
    self.end = end
    self.state = state
    self.stack = stack
    self.waker = waker
  }

  public var length: TimeSpan { end - start }
}

/// One thread and its life, exactly divided into intervals.
public struct ThreadModel: Sendable {
  public var tid: Int32
  public var pid: Int32
  public var name: String
  public var start: Timestamp
  public var end: Timestamp?
  /// Runs of which the trace does not tell when they began: they are given as short as what is known of them.
  public var untoldRuns = 0
  /// In time order, without gaps or overlaps.
  public var intervals = ThreadHistory()

  /// Time on a CPU.
  public var runningTime: TimeSpan { intervals.running }
}
