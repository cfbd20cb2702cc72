import PerfData
import Quantities

extension ThreadHistory {
  /// A wait for events or a stop: its place, and from when to when it was.
  public typealias IdleWait = (index: Int, start: Timestamp, end: Timestamp)

  /// The waits for events and the stops; what is between them takes next to no time, and nothing does where there are
  /// none.
  public var idleWaits: IteratorSequence<IdleWaits> {
    let isWanted = kinds.has {
      if case .blocked(let cause) = $0.state { cause.isIdle } else { false }
    }
    return IteratorSequence(
      IdleWaits(
        iterator: isWanted.contains(true) ? makeIterator() : makeIterator(from: bounds.upperBound),
        isWanted: isWanted, index: bounds.lowerBound))
  }

  /// Unpacks one of them after another.
  public struct IdleWaits: IteratorProtocol {
    fileprivate var iterator: Iterator
    fileprivate let isWanted: [Bool]
    /// Of the next interval.
    fileprivate var index: Int

    public mutating func next() -> IdleWait? {
      while let (start, end, kind) = iterator.skip() {
        index += 1
        if isWanted[kind] {
          return (index - 1, Timestamp(nanoseconds: start), Timestamp(nanoseconds: end))
        }
      }
      return nil
    }
  }

  /// Waits of one cause at one place that one thread ended.
  public struct WaitTally: Sendable {
    public var cause: WaitCause
    public var stack: Int?
    public var waker: Int32?
    public var count: Int
    public var time: TimeSpan
  }

  /// All waits of a whole history from a place on, by their kinds; takes no longer than to read what stands before that
  /// place.
  public func waits(from position: Int) -> [WaitTally] {
    var kinds = kinds
    var iterator = self[..<position].makeIterator()
    while let (start, end, kind) = iterator.skip() {
      kinds.remove(kind, TimeSpan(nanoseconds: Int64(truncatingIfNeeded: end &- start)))
    }
    return kinds.tallies.compactMap { kind, tally in
      guard case .blocked(let cause) = kind.state else { return nil }
      return WaitTally(
        cause: cause, stack: kind.stack, waker: kind.waker, count: tally.count, time: tally.time)
    }
  }
}
