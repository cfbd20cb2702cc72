import PerfData

/// A thread's intervals, packed: about four bytes each, so that a day of switches fits in memory.
///
/// Intervals follow each other without gaps, so only lengths are kept. Walking through them in order is as fast as through an
/// array; reaching into the middle unpacks up to 63 neighbours.
public struct ThreadHistory: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
  public typealias SubSequence = ThreadHistory

  /// Sums of the intervals' lengths and counts, kept while they are added.
  public struct Totals: Sendable {
    public var running = TimeSpan.zero
    public var runnable = TimeSpan.zero
    /// By the rank of the cause in `WaitCause.allCases`.
    var blocked = [TimeSpan](repeating: .zero, count: WaitCause.allCases.count)
    /// Waits of no known cause and without a stack, and all other waits.
    public var unknownWaits = 0
    var unknownWaiting = TimeSpan.zero
    public var knownWaits = 0
    public var eventWaits = 0
    /// Waits by the rank of the cause.
    var waits = [Int](repeating: 0, count: WaitCause.allCases.count)
    /// The stacks that any interval has.
    public var stacks: Set<Int> = []
    /// Time on a CPU while another CPU was idle, as far as the recording knows; nil where that was not followed.
    public var runningBesideIdle: TimeSpan?
  }

  /// Where every 64th interval begins.
  private struct Mark {
    var offset: Int
    var start: UInt64
    /// Time on a CPU, in event waits and in unknown waits before it.
    var running: TimeSpan
    var idle: TimeSpan
    var unknown: TimeSpan
  }

  private static let stride = 64

  private var packed: [UInt8] = []
  private var marks: [Mark] = []
  private var end: UInt64 = 0
  private var bounds = 0..<0
  private var takesUnknownForIdle = false
  /// Where the last wait's first byte is, while nothing is known of it and the thread has not run since.
  private var untold: (offset: Int, length: TimeSpan)?
  private var lastStack: Int?
  /// Of the whole history, also where this is a part of it.
  public private(set) var totals = Totals()

  public init() {}

  /// Packs intervals; where one does not begin at the end of the one before, its start moves there.
  public init(_ intervals: some Sequence<ThreadInterval>) {
    for interval in intervals { append(interval) }
  }

  public init(arrayLiteral elements: ThreadInterval...) { self.init(elements) }

  public var startIndex: Int { bounds.lowerBound }
  public var endIndex: Int { bounds.upperBound }

  public subscript(position: Int) -> ThreadInterval {
    var iterator = makeIterator(from: position)
    return iterator.next()
      ?? ThreadInterval(
        start: Timestamp(nanoseconds: end), end: Timestamp(nanoseconds: end), state: .runnable)
  }

  public subscript(range: Range<Int>) -> ThreadHistory {
    var part = self
    part.bounds = range.clamped(to: bounds)
    return part
  }

  public func makeIterator() -> Iterator { makeIterator(from: bounds.lowerBound) }

  private func makeIterator(from position: Int) -> Iterator {
    guard position < bounds.upperBound else {
      return Iterator(packed: [], offset: 0, time: 0, left: 0, takesUnknownForIdle: false)
    }
    let mark = marks[position / Self.stride]
    var iterator = Iterator(
      packed: packed, offset: mark.offset, time: mark.start,
      left: bounds.upperBound - position / Self.stride * Self.stride,
      takesUnknownForIdle: takesUnknownForIdle)
    for _ in 0..<position % Self.stride { _ = iterator.next() }
    return iterator
  }

  /// The same intervals, with waits of no known cause and without a stack taken for idle ones.
  public var takingUnknownForIdle: ThreadHistory {
    var changed = self
    changed.takesUnknownForIdle = true
    changed.totals.eventWaits += totals.unknownWaits
    changed.totals.waits[Int(WaitCause.other.rank)] -= totals.unknownWaits
    changed.totals.waits[Int(WaitCause.eventWait.rank)] += totals.unknownWaits
    changed.totals.knownWaits += totals.unknownWaits
    changed.totals.unknownWaits = 0
    changed.totals.blocked[Int(WaitCause.other.rank)] -= totals.unknownWaiting
    changed.totals.blocked[Int(WaitCause.eventWait.rank)] += totals.unknownWaiting
    changed.totals.unknownWaiting = .zero
    return changed
  }

  /// Adds the interval that follows.
  public mutating func append(_ interval: ThreadInterval, besideIdle: TimeSpan? = nil) {
    if interval.state == .running {
      totals.runningBesideIdle =
        bounds.isEmpty || totals.runningBesideIdle != nil || totals.running == .zero
        ? besideIdle.map { $0 + (totals.runningBesideIdle ?? .zero) } : nil
    }
    let start = bounds.isEmpty ? interval.start.nanoseconds : end
    if bounds.upperBound % Self.stride == 0 {
      marks.append(
        Mark(
          offset: packed.count, start: start, running: totals.running,
          idle: totals.blocked(by: .eventWait), unknown: totals.unknownWaiting))
    }
    let until = Swift.max(interval.end.nanoseconds, start)
    let length = until - start
    var head = interval.state.code
    if interval.stack != nil { head |= Packing.hasStack }
    if interval.waker != nil { head |= Packing.hasWaker }
    switch interval.state {
    case .blocked(.other) where interval.stack == nil:
      untold = (packed.count, TimeSpan(nanoseconds: Int64(truncatingIfNeeded: length)))
    case .runnable: break
    default: untold = nil
    }
    var buffer = PackedBytes()
    buffer.append(head)
    buffer.appendVariable(length)
    if let stack = interval.stack {
      buffer.appendVariable(UInt64(stack))
      if stack != lastStack { totals.stacks.insert(stack) }
      lastStack = stack
    }
    if let waker = interval.waker {
      buffer.appendVariable(UInt64(UInt32(bitPattern: waker)))
    }
    buffer.move(to: &packed)
    end = until
    bounds = bounds.lowerBound..<bounds.upperBound + 1
    totals.add(
      interval.state, TimeSpan(nanoseconds: Int64(truncatingIfNeeded: length)),
      hasStack: interval.stack != nil)
  }
}

extension ThreadHistory {
  /// Gives the last wait its cause, if none was known and the thread has not run since in what was added.
  public mutating func tellLastWait(_ cause: WaitCause) {
    guard let (offset, length) = untold else { return }
    untold = nil
    packed[offset] = packed[offset] & ~Packing.state | ThreadState.blocked(cause).code
    totals.tell(cause, length)
    // What was added since is one interval at most, which may begin at a mark.
    guard let last = marks.indices.last, marks[last].offset > offset else { return }
    marks[last].unknown -= length
    if cause == .eventWait { marks[last].idle += length }
  }

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
    /// Read already, and not over at the last moment asked for.
    private var pending: ThreadInterval?

    public init(_ history: ThreadHistory) {
      self.history = history
      iterator = history.makeIterator()
    }

    /// Time on a CPU and in event waits before a moment, which is no earlier than the one before.
    public mutating func times(before time: Timestamp) -> (running: TimeSpan, idle: TimeSpan) {
      jump(to: time)
      while let interval = pending ?? iterator.next() {
        pending = interval
        guard interval.start < time else { break }
        let length = Swift.min(interval.end, time) - interval.start
        let isIdle = interval.state == .blocked(.eventWait)
        guard interval.end <= time else {
          return (
            interval.state == .running ? running + length : running, isIdle ? idle + length : idle
          )
        }
        if interval.state == .running { running += length }
        if isIdle { idle += length }
        pending = nil
      }
      return (running, idle)
    }

    private mutating func jump(to time: Timestamp) {
      guard
        let place = history.firstMark(after: time).map({ $0 - 1 }) ?? history.marks.indices.last,
        place > mark
      else { return }
      mark = place
      running = history.marks[place].running
      idle = history.marks[place].idle
      if history.takesUnknownForIdle { idle += history.marks[place].unknown }
      iterator = history.makeIterator(from: place * ThreadHistory.stride)
      pending = nil
    }
  }

  /// The intervals that reach into a span.
  public func overlapping(_ from: Timestamp, _ to: Timestamp) -> [ThreadInterval] {
    let place = Swift.max((firstMark(after: from) ?? marks.count) - 1, 0)
    var found: [ThreadInterval] = []
    for interval in intervals(fromMark: place) {
      guard interval.start < to else { break }
      if interval.end > from { found.append(interval) }
    }
    return found
  }

  /// The first mark that is later than a moment; nil when there is none.
  private func firstMark(after time: Timestamp) -> Int? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].start <= time.nanoseconds { low = middle + 1 } else { high = middle }
    }
    return low < marks.count ? low : nil
  }

  private func intervals(fromMark place: Int) -> IteratorSequence<Iterator> {
    IteratorSequence(makeIterator(from: Swift.max(bounds.lowerBound, place * Self.stride)))
  }
}

extension ThreadHistory {
  /// Unpacks one interval after another.
  public struct Iterator: IteratorProtocol {
    private let packed: [UInt8]
    private var offset: Int
    private var time: UInt64
    private var left: Int
    private let takesUnknownForIdle: Bool

    init(packed: [UInt8], offset: Int, time: UInt64, left: Int, takesUnknownForIdle: Bool) {
      self.packed = packed
      self.offset = offset
      self.time = time
      self.left = left
      self.takesUnknownForIdle = takesUnknownForIdle
    }

    public mutating func next() -> ThreadInterval? {
      guard left > 0 else { return nil }
      left -= 1
      let head = packed[offset]
      offset += 1
      let start = time
      time &+= number()
      let stack = head & Packing.hasStack != 0 ? Int(number()) : nil
      let waker =
        head & Packing.hasWaker != 0 ? Int32(truncatingIfNeeded: number()) : nil
      var state = ThreadState(code: head & Packing.state)
      if takesUnknownForIdle, stack == nil, state == .blocked(.other) {
        state = .blocked(.eventWait)
      }
      return ThreadInterval(
        start: Timestamp(nanoseconds: start), end: Timestamp(nanoseconds: time), state: state,
        stack: stack, waker: waker)
    }

    @inline(__always)
    private mutating func number() -> UInt64 { packed.variable(at: &offset) }
  }
}

/// The bits of an interval's first byte.
private enum Packing {
  static let state: UInt8 = 0x0f
  static let hasStack: UInt8 = 0x10
  static let hasWaker: UInt8 = 0x20
}

extension ThreadState {
  fileprivate var code: UInt8 {
    switch self {
    case .running: 0
    case .runnable: 1
    case .blocked(let cause): 2 + cause.rank
    }
  }

  fileprivate init(code: UInt8) {
    switch code {
    case 0: self = .running
    case 1: self = .runnable
    default: self = .blocked(WaitCause(rank: code - 2))
    }
  }
}

extension WaitCause {
  /// The place in `allCases`.
  var rank: UInt8 {
    switch self {
    case .eventWait: 0
    case .file: 1
    case .sync: 2
    case .network: 3
    case .lock: 4
    case .sleep: 5
    case .child: 6
    case .pageFault: 7
    case .ipc: 8
    case .other: 9
    }
  }

  init(rank: UInt8) { self = Int(rank) < Self.allCases.count ? Self.allCases[Int(rank)] : .other }
}

extension ThreadHistory.Totals {
  mutating func add(_ state: ThreadState, _ length: TimeSpan, hasStack: Bool) {
    switch state {
    case .running: running += length
    case .runnable: runnable += length
    case .blocked(let cause):
      blocked[Int(cause.rank)] += length
      waits[Int(cause.rank)] += 1
      if cause == .other, !hasStack {
        unknownWaits += 1
        unknownWaiting += length
      } else {
        knownWaits += 1
      }
      if cause == .eventWait { eventWaits += 1 }
    }
  }

  /// A wait that was added without a cause has one.
  mutating func tell(_ cause: WaitCause, _ length: TimeSpan) {
    blocked[Int(WaitCause.other.rank)] -= length
    blocked[Int(cause.rank)] += length
    waits[Int(WaitCause.other.rank)] -= 1
    waits[Int(cause.rank)] += 1
    unknownWaits -= 1
    unknownWaiting -= length
    knownWaits += 1
    if cause == .eventWait { eventWaits += 1 }
  }
  /// How many waits of one cause there were.
  public func waits(by cause: WaitCause) -> Int { waits[Int(cause.rank)] }

  /// Time in waits of one cause.
  public func blocked(by cause: WaitCause) -> TimeSpan { blocked[Int(cause.rank)] }
}
