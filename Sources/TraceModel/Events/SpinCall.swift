import PerfData
import Quantities

/// A call that came back at once with nothing.
public struct SpinCall: Sendable {
  public enum Kind: String, Sendable {
    case yield = "sched_yield"
    case emptyPoll = "poll with a timeout of zero"
    case wouldBlock = "a call that would have blocked"
  }

  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var kind: Kind
  /// How many calls this one stands for.
  public var weight: UInt64
}
