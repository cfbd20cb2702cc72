import PerfData
import Quantities

extension ThreadHistory {
  /// Time on a CPU before a moment.
  public func runningTime(before time: Timestamp) -> TimeSpan { times(before: time).running }

  /// Time on a CPU and in event waits before a moment.
  public func times(before time: Timestamp) -> (running: TimeSpan, idle: TimeSpan) {
    var walk = Walk(self)
    return walk.times(before: time)
  }

  /// Sums up to one moment after another, reading no interval twice and passing over what lies between two moments.
  public struct Walk {
    private let history: ThreadHistory
    private var mark = -1
    private var iterator: Iterator
    private var running = TimeSpan.zero
    private var idle = TimeSpan.zero
    /// By kind.
    private let sums: [Sum]
    /// Read already, and not over at the last moment asked for.
    private var pending: (start: UInt64, end: UInt64, kind: Int)?

    /// To what an interval adds.
    private enum Sum { case running, idle, none }

    public init(_ history: ThreadHistory) {
      self.history = history
      iterator = history.makeIterator()
      sums = history.kinds.all.map { kind in
        switch kind.state {
        case .running: .running
        case .blocked(let cause) where cause.isIdle: .idle
        case .runnable, .blocked: .none
        }
      }
    }

    /// Time on a CPU and in event waits before a moment, which is no earlier than the one before.
    public mutating func times(before time: Timestamp) -> (running: TimeSpan, idle: TimeSpan) {
      jump(to: time)
      while let interval = pending ?? iterator.skip() {
        pending = interval
        guard interval.start < time.nanoseconds else { break }
        let length = TimeSpan(
          nanoseconds: Int64(
            truncatingIfNeeded: Swift.min(interval.end, time.nanoseconds) &- interval.start))
        let isOver = interval.end <= time.nanoseconds
        switch sums[interval.kind] {
        case .running where isOver: running += length
        case .idle where isOver: idle += length
        case .running: return (running + length, idle)
        case .idle: return (running, idle + length)
        case .none: if !isOver { return (running, idle) }
        }
        pending = nil
      }
      return (running, idle)
    }

    private mutating func jump(to time: Timestamp) {
      guard
        let place = history.firstMark(after: time).map({ $0 - 1 }) ?? history.marks.indices.last,
        place > mark, place * ThreadHistory.stride > history.bounds.lowerBound
      else { return }
      mark = place
      running = history.marks[place].running - history.leftOut.running
      idle = history.marks[place].idle - history.leftOut.idle
      if history.takesUnknownForIdle {
        idle += history.marks[place].unknown - history.leftOut.unknown
      }
      iterator = history.makeIterator(from: place * ThreadHistory.stride)
      pending = nil
    }
  }
}
