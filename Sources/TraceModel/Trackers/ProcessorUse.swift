import PerfData
import Quantities

/// How long fewer of the recorded threads ran than there are CPUs.
struct ProcessorUse {
  var count = 0
  private(set) var idle = TimeSpan.zero
  private var running = 0
  /// 0 before the first.
  private var last: UInt64 = 0

  @inline(__always)
  mutating func arrive(at time: Timestamp) {
    pass(time)
    running += 1
  }

  @inline(__always)
  mutating func leave(at time: Timestamp) {
    pass(time)
    running = max(0, running - 1)
  }

  @inline(__always)
  mutating func pass(_ time: Timestamp) {
    let now = time.nanoseconds
    guard now > last else { return }
    if running < count, last > 0 {
      idle += TimeSpan(nanoseconds: Int64(truncatingIfNeeded: now &- last))
    }
    last = now
  }
}
