import PerfData

/// Wakeups in the order of the trace, packed: about ten bytes each.
public struct WakeupLog: Sequence, ExpressibleByArrayLiteral, Sendable {
  /// Where every 256th wakeup begins, with what its numbers count from.
  private struct Mark {
    var offset: Int
    var base: Base
  }

  /// What a wakeup's numbers are differences from.
  fileprivate struct Base {
    var time: UInt64 = 0
    var tid: Int32 = 0
  }

  private static let stride = 256

  private var packed: [UInt8] = []
  private var marks: [Mark] = []
  private var base = Base()
  /// Wakeups that are not older than the one before.
  private var isAscending = true
  public private(set) var count = 0
  private var counts: [Int32: Int] = [:]
  /// The process woken last, and how often in a row.
  private var lastProcess: (pid: Int32, count: Int) = (0, 0)
  /// How often each process was woken.
  public var countsByProcess: [Int32: Int] {
    counts.merging([lastProcess.pid: lastProcess.count], uniquingKeysWith: +)
  }
  /// The earliest and the latest wakeup.
  public private(set) var earliest = Timestamp(nanoseconds: .max)
  public private(set) var latest = Timestamp(nanoseconds: 0)

  public init() {}

  public init(_ wakeups: some Sequence<Wakeup>) {
    for wakeup in wakeups { append(wakeup) }
  }

  public init(arrayLiteral elements: Wakeup...) { self.init(elements) }

  public mutating func append(_ wakeup: Wakeup) {
    if count % Self.stride == 0 { marks.append(Mark(offset: packed.count, base: base)) }
    var buffer = PackedBytes()
    buffer.append(Packing.head(of: wakeup))
    let step = Int64(bitPattern: wakeup.time.nanoseconds &- base.time)
    if step < 0 { isAscending = false }
    buffer.appendVariable(signed: step)
    buffer.appendVariable(signed: Int64(wakeup.tid) - Int64(base.tid))
    buffer.appendVariable(signed: Int64(wakeup.pid) - Int64(wakeup.tid))
    buffer.appendVariable(signed: Int64(wakeup.waker) - Int64(wakeup.tid))
    buffer.appendVariable(signed: Int64(wakeup.wakerPid) - Int64(wakeup.pid))
    buffer.move(to: &packed)
    if wakeup.pid != lastProcess.pid {
      counts[lastProcess.pid, default: 0] += lastProcess.count
      lastProcess = (wakeup.pid, 0)
    }
    lastProcess.count += 1
    earliest = Swift.min(earliest, wakeup.time)
    latest = Swift.max(latest, wakeup.time)
    base = Base(time: wakeup.time.nanoseconds, tid: wakeup.tid)
    count += 1
  }

  public var underestimatedCount: Int { count }

  public func makeIterator() -> Iterator {
    Iterator(packed: packed, offset: 0, left: count, base: Base())
  }

  /// The wakeups from about a moment on: none that are later are left out.
  public func from(_ time: Timestamp) -> IteratorSequence<Iterator> {
    guard isAscending else { return IteratorSequence(makeIterator()) }
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].base.time < time.nanoseconds { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return IteratorSequence(makeIterator()) }
    let mark = marks[low - 1]
    return IteratorSequence(
      Iterator(
        packed: packed, offset: mark.offset, left: count - (low - 1) * Self.stride, base: mark.base)
    )
  }
}

extension WakeupLog {
  /// Unpacks one wakeup after another.
  public struct Iterator: IteratorProtocol {
    private let packed: [UInt8]
    private var offset: Int
    private var left: Int
    private var base: Base

    fileprivate init(packed: [UInt8], offset: Int, left: Int, base: Base) {
      self.packed = packed
      self.offset = offset
      self.left = left
      self.base = base
    }

    public mutating func next() -> Wakeup? {
      guard left > 0 else { return nil }
      left -= 1
      let head = packed[offset]
      offset += 1
      base.time &+= UInt64(bitPattern: packed.signedVariable(at: &offset))
      func number(_ origin: Int32) -> Int32 {
        Int32(truncatingIfNeeded: Int64(origin) &+ packed.signedVariable(at: &offset))
      }
      base.tid = number(base.tid)
      let pid = number(base.tid)
      let waker = number(base.tid)
      return Wakeup(
        time: Timestamp(nanoseconds: base.time), tid: base.tid, pid: pid, waker: waker,
        wakerPid: number(pid), context: Packing.context(head), waited: Packing.waited(head),
        cpuWasIdle: head & Packing.cpuWasIdle != 0)
    }
  }

  /// The bits of a wakeup's first byte.
  private enum Packing {
    static let cpuWasIdle: UInt8 = 0x80

    /// Bits 0 to 3: what the thread waited for, 15 for nothing known; 4 and 5: the context.
    static func head(of wakeup: Wakeup) -> UInt8 {
      let context: UInt8 =
        switch wakeup.context {
        case .task: 0
        case .softInterrupt: 1
        case .hardInterrupt: 2
        case .unknown: 3
        }
      return (wakeup.waited?.rank ?? 15) | context << 4 | (wakeup.cpuWasIdle ? cpuWasIdle : 0)
    }

    static func context(_ head: UInt8) -> Wakeup.Context {
      switch head >> 4 & 3 {
      case 0: .task
      case 1: .softInterrupt
      case 2: .hardInterrupt
      default: .unknown
      }
    }

    static func waited(_ head: UInt8) -> WaitCause? {
      head & 15 == 15 ? nil : WaitCause(rank: head & 15)
    }
  }
}
