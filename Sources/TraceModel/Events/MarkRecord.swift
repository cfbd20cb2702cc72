import PerfData
import Quantities

/// A mark or the end of an interval, as it was recorded.
public struct MarkRecord: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var event: MarkEvent
}
