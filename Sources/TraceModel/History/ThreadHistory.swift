import PerfData
import Quantities

/// A thread's intervals, packed: about four bytes each, so that a day of switches fits in memory.
///
/// Intervals follow each other without gaps, so only lengths are kept, each with the number of its kind: what the
/// thread did, and of a wait its stack and who ended it. Walking through them in order is as fast as through an array;
/// reaching into the middle unpacks up to 255 neighbours.
///
///     +------+- - - - - - - - -+-----------+
///     | head | kind, if large  |  length   |    an interval; 256 of them, then a mark
///     +------+- - - - - - - - -+-----------+
///        1            4         2, 3, 4, 8     bytes
///
///     head, from the lowest bit:  2 width of the length | 6 number of the kind; all ones: it follows in 4 bytes
///
///     marks:  [offset of interval 0, its start, sums before it] [of interval 256] [of interval 512] ...
///
/// The length is in nanoseconds. A kind is an `IntervalKey`: state, stack and who ended it, kept once in
/// `IntervalKinds`.
public struct ThreadHistory: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
  public typealias SubSequence = ThreadHistory

  /// Where every 256th interval begins.
  struct Mark {
    var offset: Int
    var start: UInt64
    /// Time on a CPU, in event waits and in unknown waits before it.
    var running: TimeSpan
    var idle: TimeSpan
    var unknown: TimeSpan
  }

  /// In which run the thread's process began its present program, when, and the sums up to there; of time on a CPU that
  /// of this run.
  struct Program {
    var position: Int
    var time: UInt64
    var running: TimeSpan
    var besideIdle: TimeSpan
  }

  static let stride = 256

  private let log: ByteLog
  private(set) var marks: [Mark]
  private(set) var kinds: IntervalKinds
  private let end: UInt64
  private(set) var bounds: Range<Int>
  private(set) var takesUnknownForIdle = false
  private var idle: TimeSpan
  private var unknown: TimeSpan
  private var besideIdle: TimeSpan?
  private let program: Program?
  /// Of an interval that began earlier the part before is left out.
  private var earliest: UInt64 = 0
  /// What was left out of the sums.
  private(set) var leftOut = (running: TimeSpan.zero, idle: TimeSpan.zero, unknown: TimeSpan.zero)
  /// Time on a CPU in the whole history, also where this is a part of it.
  public private(set) var running: TimeSpan

  /// Of the whole history, also where this is a part of it.
  public var totals: Totals {
    var totals = Totals()
    for (kind, tally) in kinds.tallies { totals.add(kind, tally) }
    totals.runningBesideIdle = besideIdle
    return totals
  }

  /// Of a thread that did nothing.
  public init() { self.init([]) }

  /// Packs intervals; where one does not begin at the end of the one before, its start moves there.
  public init(_ intervals: some Sequence<ThreadInterval>) {
    var builder = ThreadHistoryBuilder(followsIdle: false)
    var end: UInt64?
    for interval in intervals {
      let start = end ?? interval.start.nanoseconds
      let until = Swift.max(interval.end.nanoseconds, start)
      builder.append(interval, from: start, until: until)
      end = until
    }
    self = builder.finish(end ?? 0)
  }

  init(
    log: ByteLog, marks: [Mark], kinds: IntervalKinds, count: Int, end: UInt64, running: TimeSpan,
    idle: TimeSpan, unknown: TimeSpan, besideIdle: TimeSpan?, program: Program?
  ) {
    self.log = log
    self.marks = marks
    self.kinds = kinds
    self.end = end
    bounds = 0..<count
    self.running = running
    self.idle = idle
    self.unknown = unknown
    self.besideIdle = besideIdle
    self.program = program
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

  func makeIterator(from position: Int) -> Iterator {
    guard position < bounds.upperBound else {
      return Iterator(cursor: log.cursor(at: 0), kinds: [], time: 0, left: 0, earliest: 0)
    }
    let mark = marks[position / Self.stride]
    var iterator = Iterator(
      cursor: log.cursor(at: mark.offset), kinds: kinds.all, time: mark.start,
      left: bounds.upperBound - position / Self.stride * Self.stride, earliest: earliest)
    for _ in 0..<position % Self.stride { _ = iterator.skip() }
    return iterator
  }

  /// The same intervals in other states.
  public func mapStates(_ state: (_ index: Int, ThreadInterval) -> ThreadState) -> ThreadHistory {
    var builder = ThreadHistoryBuilder(followsIdle: false)
    var index = bounds.lowerBound
    var iterator = makeIterator()
    var end: UInt64 = 0
    while var interval = iterator.next() {
      interval.state = state(index, interval)
      end = interval.end.nanoseconds
      builder.append(interval, from: interval.start.nanoseconds, until: end)
      index += 1
    }
    return builder.finish(end)
  }

  /// The same intervals, with waits of no known cause and without a stack taken for idle ones.
  public var takingUnknownForIdle: ThreadHistory {
    var changed = self
    changed.takesUnknownForIdle = true
    changed.kinds.takeUnknownForIdle()
    changed.idle += unknown
    changed.unknown = .zero
    return changed
  }

  /// The stacks of its waits for events.
  var eventWaitStacks: Set<Int> {
    Set(
      kinds.tallies.lazy.filter { $0.kind.state == .blocked(.eventWait) }.compactMap(\.kind.stack))
  }

  /// Waits for events with these stacks were for that.
  mutating func tellEventWaits(at stacks: Set<Int>, _ cause: WaitCause) {
    kinds.tellEventWaits(at: stacks, cause)
    let isIdle = kinds.all.map {
      if case .blocked(let cause) = $0.state { cause.isIdle } else { false }
    }
    idle = .zero
    var iterator = makeIterator(from: 0)
    var index = 0
    while let (start, end, kind) = iterator.skip() {
      if index % Self.stride == 0 { marks[index / Self.stride].idle = idle }
      if isIdle[kind] { idle += TimeSpan(nanoseconds: Int64(truncatingIfNeeded: end &- start)) }
      index += 1
    }
  }

  /// Leaves out what came before a moment, of sums too; where a program began then, that takes no longer than reading
  /// it.
  mutating func leaveOut(before time: Timestamp) {
    guard let program, program.time == time.nanoseconds, bounds.contains(program.position) else {
      self = ThreadHistory(
        lazy.filter { $0.end > time }.map { interval in
          var later = interval
          later.start = Swift.max(interval.start, time)
          return later
        })
      return
    }
    var iterator = self[bounds.lowerBound..<program.position].makeIterator()
    while let (interval, kind) = iterator.step() {
      kinds.remove(kind, interval.length)
      switch interval.state {
      case .running: leftOut.running += interval.length
      case .blocked(let cause) where cause.isIdle: leftOut.idle += interval.length
      case .blocked(.unknown) where interval.stack == nil: leftOut.unknown += interval.length
      case .runnable, .blocked: break
      }
    }
    kinds.shortenRun(by: program.running)
    leftOut.running += program.running
    running -= leftOut.running
    besideIdle = besideIdle.map { $0 - program.besideIdle }
    bounds = program.position..<bounds.upperBound
    earliest = program.time
  }
}

extension ThreadHistory {
  /// The intervals that reach into a span.
  public func overlapping(_ from: Timestamp, _ to: Timestamp) -> [ThreadInterval] {
    var found: [ThreadInterval] = []
    for interval in self.from(from) {
      guard interval.start < to else { break }
      if interval.end > from { found.append(interval) }
    }
    return found
  }

  /// The intervals from about a moment on: none that reach beyond it are left out.
  public func from(_ time: Timestamp) -> IteratorSequence<Iterator> {
    let mark = Swift.max((firstMark(after: time) ?? marks.count) - 1, 0)
    return IteratorSequence(makeIterator(from: Swift.max(bounds.lowerBound, mark * Self.stride)))
  }

  /// The first mark that is later than a moment; nil when there is none.
  func firstMark(after time: Timestamp) -> Int? {
    let place = marks.partitioningIndex { $0.start > time.nanoseconds }
    return place < marks.count ? place : nil
  }
}
