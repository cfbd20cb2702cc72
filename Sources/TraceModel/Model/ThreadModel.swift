import PerfData
import Quantities

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
