import PerfData
import Quantities

/// Memory and use of one process at one moment.
public struct Footprint: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var sample: FootprintSample
}
