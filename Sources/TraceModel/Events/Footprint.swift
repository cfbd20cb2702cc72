import PerfData
import Quantities

/// Memory and use of one process at one moment.
public struct Footprint: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var sample: FootprintSample
}

extension Tables {
  /// The last reading of a process before it ran another program; nil where there is none.
  func lastCounts(of pid: Int32, before time: Timestamp) -> Footprint? {
    footprints.last { $0.pid == pid && $0.time < time }
  }

  /// Makes the readings of a process count from the moment on at which it became another program: /proc goes on
  /// counting. What was counted by then is told by the nearest reading, the last one before or the first one after.
  mutating func count(_ pid: Int32, from before: Footprint, at time: Timestamp) {
    guard let after = footprints.first(where: { $0.pid == pid && $0.time >= time }) else { return }
    let nearest = after.time - time < time - before.time ? after : before
    for index in footprints.indices where footprints[index].pid == pid {
      footprints[index].sample = footprints[index].sample.counted(since: nearest.sample)
    }
  }
}
