import PerfData
import Quantities

/// System calls, as a recording of `raw_syscalls` tells them.
public enum SystemCall {
  /// Whose calls of what.
  public struct Key: Hashable, Sendable {
    public var pid: Int32
    public var tid: Int32
    /// The call's number on the machine that recorded.
    public var number: Int32
  }

  /// Sums over one thread's calls of one number.
  public struct Totals: Sendable {
    /// Calls that came back.
    public private(set) var count = 0
    /// Those that came back with an error.
    public private(set) var errors = 0
    /// Those whose beginning was recorded: the times are of these.
    public private(set) var timed = 0
    public private(set) var total = TimeSpan.zero
    /// Zero where none was timed, as is `longest`.
    public private(set) var shortest = TimeSpan.zero
    public private(set) var longest = TimeSpan.zero

    public init() {}

    @inline(__always)
    mutating func add(hasFailed: Bool, _ duration: TimeSpan?) {
      count += 1
      if hasFailed { errors += 1 }
      guard let duration else { return }
      shortest = timed == 0 ? duration : min(shortest, duration)
      longest = max(longest, duration)
      timed += 1
      total += duration
    }

    /// Takes in the sums of other calls.
    public mutating func add(_ other: Totals) {
      count += other.count
      errors += other.errors
      guard other.timed > 0 else { return }
      shortest = timed == 0 ? other.shortest : min(shortest, other.shortest)
      longest = max(longest, other.longest)
      timed += other.timed
      total += other.total
    }
  }
}
