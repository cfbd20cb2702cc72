import PerfData
import Quantities

/// A CPU sample of a running thread.
public struct ProcessorSample: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var stack: Int?
  /// How many of its event it stands for: nanoseconds of CPU time, where that is a clock.
  public var period: UInt64 = 1

  /// What a period of a clock is; no sample stands for more than an hour.
  public var clockTime: TimeSpan {
    TimeSpan(nanoseconds: Int64(min(period, 3_600_000_000_000)))
  }
}
