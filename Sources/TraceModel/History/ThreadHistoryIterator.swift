import PerfData
import Quantities

extension ThreadHistory {
  /// Unpacks one interval after another.
  public struct Iterator: IteratorProtocol {
    private var cursor: ByteLog.Cursor
    private let kinds: ContiguousArray<IntervalKinds.Kind>
    private var time: UInt64
    private var left: Int
    private let earliest: UInt64

    init(
      cursor: ByteLog.Cursor, kinds: ContiguousArray<IntervalKinds.Kind>, time: UInt64, left: Int,
      earliest: UInt64
    ) {
      self.cursor = cursor
      self.kinds = kinds
      self.time = time
      self.left = left
      self.earliest = earliest
    }

    public mutating func next() -> ThreadInterval? { step()?.interval }

    /// The next one with the number of its kind.
    @inline(__always)
    mutating func step() -> (interval: ThreadInterval, kind: Int)? {
      guard let (start, end, number) = skip() else { return nil }
      let kind = kinds[number]
      return (
        ThreadInterval(
          start: Timestamp(nanoseconds: start), end: Timestamp(nanoseconds: end),
          state: kind.state, stack: kind.stack, waker: kind.waker), number
      )
    }

    /// From when to when the next one is, and the number of its kind.
    @inline(__always)
    mutating func skip() -> (start: UInt64, end: UInt64, kind: Int)? {
      guard left > 0 else { return nil }
      left -= 1
      let head = cursor.next(UInt8.self)
      var number = Int(head >> 2)
      if number == IntervalKinds.narrow { number = Int(cursor.next(UInt32.self)) }
      let start = Swift.max(time, earliest)
      time &+= cursor.number(ByteLog.Width(code: head))
      return (start, time, number)
    }
  }
}
