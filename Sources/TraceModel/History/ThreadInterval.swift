import PerfData
import Quantities

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
