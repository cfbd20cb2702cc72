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

  /// Time on a CPU that the samples of a clock stand for, where no switch was recorded.
  public var sampledTime: TimeSpan?

  /// Time on a CPU.
  public var runningTime: TimeSpan { sampledTime ?? intervals.running }
}

extension ThreadModel: TableRow {
  func leavingOut(_ pid: Int32, before time: Timestamp) -> ThreadModel? {
    guard self.pid == pid, start < time else { return self }
    if let end, end <= time { return nil }
    var later = self
    later.start = time
    later.intervals.leaveOut(before: time)
    return later
  }

  func kept(in window: TraceWindow.Bounds) -> ThreadModel? {
    guard start <= window.to, end.map({ $0 >= window.from }) ?? true else { return nil }
    var part = self
    part.start = max(start, window.from)
    if let end, end > window.to { part.end = nil }
    part.intervals = ThreadHistory(
      intervals.lazy.filter { $0.end > window.from && $0.start < window.to }.map { interval in
        var inside = interval
        inside.start = max(interval.start, window.from)
        inside.end = min(interval.end, window.to)
        return inside
      })
    return part
  }
}
