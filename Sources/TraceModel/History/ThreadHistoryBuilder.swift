import PerfData
import Quantities

/// Packs a thread's intervals as they come: each begins where the one before it ended.
struct ThreadHistoryBuilder {
  /// Bytes of the largest interval, with those that writing and reading a number reach beyond it.
  private static let largestEntry = 32

  private let memory = GrowingMemory(byteCount: 4 * largestEntry)
  /// The memory's first byte, where the next interval is written, and from where on there is no room for one.
  private var first: UnsafeMutableRawPointer
  private var place: UnsafeMutableRawPointer
  private var limit: UnsafeMutableRawPointer
  private var count = 0
  /// Where the last wait is, while nothing is known of it and the thread has not run since; -1 otherwise.
  private var untold = -1
  private var kinds: IntervalKindCounter
  private var idle = TimeSpan.zero
  private var unknown = TimeSpan.zero
  private var besideIdle = TimeSpan.zero
  /// Time on a CPU in intervals with a stack.
  private var runningElsewhere = TimeSpan.zero
  private let followsIdle: Bool
  private var marks: [ThreadHistory.Mark] = []
  private var program: ThreadHistory.Program?

  /// `followsIdle` where it is told of each run how long of it another CPU was idle, `learnsCauses` where it may be
  /// told of each wait afterwards what it was for; else that may be told of event waits alone.
  init(followsIdle: Bool, learnsCauses: Bool = false) {
    self.followsIdle = followsIdle
    kinds = IntervalKindCounter(
      tellable: learnsCauses ? WaitCause.unknown.rank : WaitCause.eventWait.rank + 1)
    first = memory.base
    place = first
    limit = first + 3 * Self.largestEntry
  }

  private var byteCount: Int { place - first }
  private var running: TimeSpan { kinds.running + runningElsewhere }

  /// What was added, up to that moment.
  func finish(_ end: UInt64) -> ThreadHistory {
    ThreadHistory(
      log: ByteLog(memory, count: byteCount), marks: marks, kinds: kinds.kinds, count: count,
      end: end, running: running, idle: idle, unknown: unknown,
      besideIdle: followsIdle && running > .zero ? besideIdle : nil, program: program)
  }

  /// Adds any interval.
  mutating func append(_ interval: ThreadInterval, from start: UInt64, until: UInt64) {
    let key = IntervalKey(interval.state, stack: interval.stack).ended(by: interval.waker)
    switch interval.state {
    case .running where key == IntervalKey(.running):
      appendRun(from: start, until: until, besideIdle: .zero)
    case .runnable where key == IntervalKey(.runnable):
      appendQueued(from: start, until: until)
    case .blocked: appendWait(from: start, until: until, key)
    case .running:
      runningElsewhere += put(kinds.number(key), from: start, until: until)
      untold = -1
    case .runnable: _ = put(kinds.number(key), from: start, until: until)
    }
  }

  /// Adds time on a CPU.
  @inline(__always)
  mutating func appendRun(from start: UInt64, until: UInt64, besideIdle: TimeSpan) {
    _ = put(IntervalKinds.running, from: start, until: until)
    self.besideIdle += besideIdle
    untold = -1
  }

  /// Adds time in the queue for a CPU.
  @inline(__always)
  mutating func appendQueued(from start: UInt64, until: UInt64) {
    _ = put(IntervalKinds.runnable, from: start, until: until)
  }

  /// Adds a wait.
  @inline(__always)
  mutating func appendWait(from start: UInt64, until: UInt64, _ key: IntervalKey) {
    let offset = byteCount
    let length = put(kinds.number(key), from: start, until: until)
    if key.isUnknown {
      unknown += length
      untold = offset
    } else {
      if key.isIdle { idle += length }
      untold = -1
    }
  }

  /// Writes an interval of that kind and tells its length.
  @inline(__always)
  private mutating func put(_ kind: Int, from start: UInt64, until: UInt64) -> TimeSpan {
    if place >= limit { grow() }
    if count % ThreadHistory.stride == 0 { mark(start) }
    let nanoseconds = until &- start
    let length = TimeSpan(nanoseconds: Int64(bitPattern: nanoseconds))
    kinds.count(kind, length)
    let width = ByteLog.Width(of: nanoseconds)
    var place = place
    if kind < IntervalKinds.narrow {
      place.put(width.code | UInt8(truncatingIfNeeded: kind) << 2, at: 0)
      place += 1
    } else {
      // The number does not fit, and follows.
      place.put(width.code | UInt8(IntervalKinds.narrow) << 2, at: 0)
      place.put(UInt32(truncatingIfNeeded: kind), at: 1)
      place += 5
    }
    place.put(nanoseconds, at: 0)
    self.place = place + width.bytes
    count &+= 1
    return length
  }

  @inline(never)
  private mutating func grow() {
    let used = byteCount
    let capacity = 2 * used + 4 * Self.largestEntry
    memory.grow(to: capacity)
    first = memory.base
    place = first + used
    limit = first + (capacity - Self.largestEntry)
  }

  @inline(never)
  private mutating func mark(_ start: UInt64) {
    marks.append(
      ThreadHistory.Mark(
        offset: byteCount, start: start, running: running, idle: idle, unknown: unknown))
  }

  /// The process begins another program in a run that has lasted so long, and so long beside an idle CPU.
  mutating func beginProgram(at time: Timestamp, after running: TimeSpan, besideIdle: TimeSpan) {
    program = ThreadHistory.Program(
      position: count, time: time.nanoseconds, running: running,
      besideIdle: besideIdle + self.besideIdle)
  }

  /// The last wait was for that, if nothing is known of it and the thread has not run since in what was added.
  mutating func tellLastWait(_ cause: WaitCause) {
    guard untold >= 0 else { return }
    let offset = untold
    let head = first.load(fromByteOffset: offset, as: UInt8.self)
    let width = ByteLog.Width(code: head)
    var kind = Int(head >> 2)
    let isNarrow = kind < IntervalKinds.narrow
    if !isNarrow { kind = Int(first.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self)) }
    let end = offset + (isNarrow ? 1 : 5)
    let nanoseconds = first.loadUnaligned(fromByteOffset: end, as: UInt64.self) & width.mask
    let length = TimeSpan(nanoseconds: Int64(bitPattern: nanoseconds))
    let further = kinds.tell(kind, cause, length)
    guard further > 0 else { return }
    untold = -1
    if isNarrow {
      first.put(head + UInt8(truncatingIfNeeded: further) << 2, at: offset)
    } else {
      first.put(UInt32(truncatingIfNeeded: kind + further), at: offset + 1)
    }
    unknown -= length
    if cause.isIdle { idle += length }
    // What was added since is one interval at most, which may begin at a mark.
    guard let last = marks.indices.last, marks[last].offset > offset else { return }
    marks[last].unknown -= length
    if cause.isIdle { marks[last].idle += length }
  }
}
