import PerfData

extension WakeupLog {
  /// Unpacks one wakeup after another.
  public struct Iterator: IteratorProtocol {
    private var cursor: ByteLog.Cursor
    private let kinds: ContiguousArray<Kind>
    var left: Int
    private var time: UInt64
    private let leftOut: LeftOut?
    /// By kind; empty where all are wanted.
    var isWanted: [Bool] = []

    init(
      cursor: ByteLog.Cursor, kinds: ContiguousArray<Kind>, left: Int, time: UInt64,
      leftOut: LeftOut?
    ) {
      self.cursor = cursor
      self.kinds = kinds
      self.left = left
      self.time = time
      self.leftOut = leftOut
    }

    public mutating func next() -> Wakeup? {
      while let (time, kind) = step() {
        if isWanted.isEmpty || isWanted[kind] { return kinds[kind].wakeup(at: time) }
      }
      return nil
    }

    /// The next one's time and the number of its kind.
    @inline(__always)
    mutating func step() -> (time: UInt64, kind: Int)? {
      while left > 0 {
        left -= 1
        let head = cursor.next(UInt16.self)
        var kind = Int(head >> 2)
        if kind == Packing.wide { kind = Int(cursor.next(UInt32.self)) }
        let step = cursor.number(ByteLog.Width(code: UInt8(truncatingIfNeeded: head)))
        time &+= UInt64(bitPattern: Int64(zigzag: step))
        if let leftOut, time < leftOut.time, kinds[kind].pid == leftOut.pid { continue }
        return (time, kind)
      }
      return nil
    }
  }
}
