import PerfData
import Quantities

/// A signal sent to a process.
public struct SignalDelivery: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var number: Int
}
