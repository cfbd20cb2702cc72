import PerfData
import Quantities

/// A CPU sample of a running thread.
public struct ProcessorSample: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var stack: Int?
}
