import PerfData
import Quantities
import TraceModel

/// From leaving an event wait to the next.
struct Turn {
  /// All that its thread did: held once, since there are many turns.
  final class Life {
    let intervals: ThreadHistory
    let tid: Int32

    init(_ intervals: ThreadHistory, tid: Int32) {
      self.intervals = intervals
      self.tid = tid
    }
  }

  private let life: Life
  private let places: Range<Int>
  let start: Timestamp
  let end: Timestamp

  var tid: Int32 { life.tid }
  var intervals: ThreadHistory { life.intervals[places] }
  /// The place of the interval after it in its thread's life.
  var endIndex: Int { places.upperBound }
  var length: TimeSpan { end - start }

  private init(of life: Life, _ places: Range<Int>, _ start: Timestamp, _ end: Timestamp) {
    self.life = life
    self.places = places
    self.start = start
    self.end = end
  }

  /// A whole history as one turn.
  init(_ intervals: ThreadHistory, tid: Int32) {
    let start = intervals.first?.start ?? Timestamp(nanoseconds: 0)
    self.init(
      of: Life(intervals, tid: tid), intervals.startIndex..<intervals.endIndex, start,
      intervals.last?.end ?? start)
  }

  /// The turns of a thread's life, which its event waits divide.
  struct All {
    var count = 0
    var first: Turn?
    /// Those that last at least as long as asked for.
    var long: [Turn] = []
    var longest = TimeSpan.zero
  }

  /// `shortest` is of the turns to keep; none are kept where it is nil.
  static func split(_ intervals: ThreadHistory, tid: Int32, keeping shortest: TimeSpan?) -> All {
    var all = All()
    guard let first = intervals.first else { return all }
    let life = Life(intervals, tid: tid)
    // Intervals follow each other without gaps: a turn begins where an event wait ends.
    var begin = intervals.startIndex
    var start = first.start
    func end(_ index: Int, _ time: Timestamp) {
      guard index > begin else { return }
      all.count += 1
      let length = time - start
      all.longest = max(all.longest, length)
      let isLong = shortest.map { length >= $0 } ?? false
      guard isLong || all.first == nil else { return }
      let turn = Turn(of: life, begin..<index, start, time)
      if isLong { all.long.append(turn) }
      all.first = all.first ?? turn
    }
    for wait in intervals.eventWaits {
      end(wait.index, wait.start)
      begin = wait.index + 1
      start = wait.end
    }
    if let last = intervals.last { end(intervals.endIndex, last.end) }
    return all
  }
}

/// Where a thread's time went; the parts add up to the whole, to the nanosecond.
struct TimeParts {
  var running = TimeSpan.zero
  var runnable = TimeSpan.zero
  var idle = TimeSpan.zero
  var blocked: [WaitCause: TimeSpan] = [:]

  init(_ intervals: some Sequence<ThreadInterval>) {
    for interval in intervals {
      switch interval.state {
      case .running: running += interval.length
      case .runnable: runnable += interval.length
      case .blocked(.eventWait): idle += interval.length
      case .blocked(let cause): blocked[cause, default: .zero] += interval.length
      }
    }
  }

  /// Of a whole life, without walking through it.
  init(_ totals: ThreadHistory.Totals) {
    running = totals.running
    runnable = totals.runnable
    idle = totals.blocked(by: .eventWait)
    for cause in WaitCause.allCases where cause != .eventWait {
      let time = totals.blocked(by: cause)
      if time > .zero { blocked[cause] = time }
    }
  }

  var blockedTotal: TimeSpan { blocked.values.reduce(.zero, +) }
  var blockedByCause: [String: Double] {
    Dictionary(uniqueKeysWithValues: blocked.map { ($0.key.rawValue, $0.value.seconds) })
  }
}

/// Measures the main thread: its turns, hangs and waits.
enum MainThreadMeasure {
  static func measure(_ choice: MainThreadChoice, in subject: SubjectView) -> MainThreadSignal {
    let intervals = subject.history(of: choice.thread)
    let parts = TimeParts(intervals.totals)
    let turns = Turn.split(
      intervals, tid: choice.thread.tid, keeping: TimeSpan(seconds: 0.05))
    let hasEventLoop = intervals.totals.eventWaits > 0
    // What a program does before its first event wait is its launch, which has a rule of its own. A worker has none: the
    // first thread had it.
    let ready =
      choice.thread.tid == choice.first.tid
      ? LifecycleMeasure.ready(main: choice.thread, in: subject) : nil
    let launch = turns.first.flatMap { turn in ready.map { turn.start < $0 } == true ? turn : nil }
    let elsewhere = choice.others.flatMap { turnsElsewhere(of: $0, choice, subject) }
    let long =
      hasEventLoop
      ? (turns.long.filter { $0.start != launch?.start }
        + elsewhere.filter { $0.length.seconds >= 0.05 }).sorted { $0.start < $1.start } : []

    var signal = MainThreadSignal(
      threadID: Int(choice.thread.tid), threadName: choice.thread.name, foundBy: choice.foundBy,
      hasEventLoop: hasEventLoop, turns: turns.count, runningSeconds: parts.running.seconds,
      runnableSeconds: parts.runnable.seconds, blockedSeconds: parts.blockedTotal.seconds,
      idleSeconds: parts.idle.seconds, blockedByCause: parts.blockedByCause)
    signal.turnsOver = TurnCounts(
      over50ms: long.count, over100ms: count(long, 0.1), over250ms: count(long, 0.25),
      over500ms: count(long, 0.5), over2s: count(long, 2))
    signal.hangs = long.filter { $0.length.seconds >= 0.1 }.map { hang($0, subject) }
    signal.add(elsewhere)
    if hasEventLoop {
      signal.computingSeconds50ms = TimeParts(long.lazy.map(\.intervals).joined()).running.seconds
      signal.computingWhileIdleCPUs = IdleProcessors.overlap(of: long.map(\.intervals), in: subject)
    } else {
      signal.computingSeconds50ms = parts.running.seconds
      signal.computingWhileIdleCPUs = IdleProcessors.overlap(ofAll: intervals, in: subject)
    }
    let scored = hasEventLoop && turns.count > 1 ? launch?.endIndex : nil
    var blockings = BlockingSums(intervals, from: scored ?? intervals.startIndex)
    for turn in elsewhere { blockings.add(turn.intervals) }
    signal.blockings = blockings.blockings(subject)
    return signal
  }

  /// Turns in which another worker did MainActor's work.
  private static func turnsElsewhere(
    of thread: ThreadModel, _ choice: MainThreadChoice, _ subject: SubjectView
  ) -> [Turn] {
    let samples = subject.trace.processorSamples.filter {
      $0.tid == thread.tid && $0.stack.map(choice.mainStacks.contains) == true
    }
    let turns = Turn.split(
      thread.intervals, tid: thread.tid, keeping: TimeSpan(seconds: 0.001))
    return turns.long.filter { turn in
      turn.intervals.contains { $0.stack.map(choice.mainStacks.contains) == true }
        || samples.contains { $0.time >= turn.start && $0.time <= turn.end }
    }
  }

  private static func count(_ turns: [Turn], _ seconds: Double) -> Int {
    turns.count { $0.length.seconds >= seconds }
  }

  private static func hang(_ turn: Turn, _ subject: SubjectView) -> Hang {
    let parts = TimeParts(turn.intervals)
    let stack = worstStack(turn, parts: parts, subject)
    let seconds = turn.length.seconds
    return Hang(
      start: subject.time(turn.start), durationSeconds: seconds,
      severity: HangSeverity(durationSeconds: seconds) ?? .noticeable,
      runningSeconds: parts.running.seconds, runnableSeconds: parts.runnable.seconds,
      blockedByCause: parts.blockedByCause, stack: stack)
  }

  /// A job of MainActor as a hang; blamed is what held it up, else the function it went on with.
  static func hang(_ job: JobRun, severity: HangSeverity, in subject: SubjectView) -> Hang {
    let history = subject.threads.first { $0.tid == job.tid }?.intervals ?? ThreadHistory()
    let own = history.compactMap { interval -> ThreadInterval? in
      guard interval.start < job.end, interval.end > job.start else { return nil }
      var part = interval
      part.start = max(part.start, job.start)
      part.end = min(part.end, job.end)
      return part
    }
    let turn = Turn(ThreadHistory(own), tid: job.tid)
    let parts = TimeParts(own)
    var stack = worstStack(turn, parts: parts, subject)
    if stack.isEmpty, let frame = job.function {
      stack = [
        StackFrame(
          function: frame.displayName, module: frame.module, file: frame.file, line: frame.line,
          isProgram: frame.isProgram)
      ]
    }
    return Hang(
      start: subject.time(job.start), durationSeconds: job.length.seconds, severity: severity,
      runningSeconds: parts.running.seconds, runnableSeconds: parts.runnable.seconds,
      blockedByCause: parts.blockedByCause, stack: stack)
  }

  /// The stack that held the turn up longest: of its blocked time, or of its samples if it computed.
  private static func worstStack(
    _ turn: Turn, parts: TimeParts, _ subject: SubjectView
  ) -> [StackFrame] {
    var blocked: [Int: TimeSpan] = [:]
    for interval in turn.intervals {
      if case .blocked = interval.state, let stack = interval.stack {
        blocked[stack, default: .zero] += interval.length
      }
    }
    let worst = blocked.max { ($0.value, $1.key) < ($1.value, $0.key) }
    if let worst, worst.value >= parts.running { return subject.frames(worst.key) }
    var sampled: [Int: Int] = [:]
    for sample in subject.trace.processorSamples
    where sample.tid == turn.tid && sample.time >= turn.start && sample.time <= turn.end {
      if let stack = sample.stack { sampled[stack, default: 0] += 1 }
    }
    let hottest = sampled.max { ($0.value, $1.key) < ($1.value, $0.key) }
    return subject.frames(hottest?.key ?? worst?.key)
  }
}

/// Waits by cause and stack.
struct BlockingSums {
  private struct Key: Hashable {
    var cause: WaitCause
    var stack: Int?
  }

  private struct Sum {
    var time = TimeSpan.zero
    var count = 0
    /// How often each thread ended it.
    var ended: [Int32: Int] = [:]

    mutating func add(_ waker: Int32?, count: Int, _ time: TimeSpan) {
      self.time += time
      self.count += count
      if let waker { ended[waker, default: 0] += count }
    }

    /// Threads of which name ended it most often.
    func waker(_ names: [Int32: String]) -> String? {
      var counts: [String: Int] = [:]
      for (tid, count) in ended { if let name = names[tid] { counts[name, default: 0] += count } }
      return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
  }

  private var sums: [Key: Sum] = [:]

  /// Of a whole history from a place on.
  init(_ history: ThreadHistory, from position: Int) {
    for tally in history.waits(from: position) {
      add(tally.cause, tally.stack, tally.waker, count: tally.count, tally.time)
    }
  }

  init(_ intervals: some Sequence<ThreadInterval>) { add(intervals) }

  mutating func add(_ intervals: some Sequence<ThreadInterval>) {
    for interval in intervals {
      guard case .blocked(let cause) = interval.state else { continue }
      add(cause, interval.stack, interval.waker, count: 1, interval.length)
    }
  }

  private mutating func add(
    _ cause: WaitCause, _ stack: Int?, _ waker: Int32?, count: Int, _ time: TimeSpan
  ) {
    guard cause != .eventWait else { return }
    sums[Key(cause: cause, stack: stack), default: Sum()].add(waker, count: count, time)
  }

  /// The longest first.
  func blockings(_ subject: SubjectView) -> [Blocking] {
    let names = Dictionary(
      subject.trace.threads.map { ($0.tid, $0.name) }, uniquingKeysWith: { $1 })
    return sums.sorted {
      ($1.value.time, $0.key.stack ?? -1) < ($0.value.time, $1.key.stack ?? -1)
    }.map { key, sum in
      Blocking(
        cause: key.cause.rawValue, seconds: sum.time.seconds, count: sum.count,
        stack: subject.frames(key.stack), waker: sum.waker(names))
    }
  }
}

extension MainThreadSignal {
  /// Adds turns on other workers; the chosen one was idle meanwhile, since MainActor does one thing at a time.
  fileprivate mutating func add(_ elsewhere: [Turn]) {
    for turn in elsewhere {
      let parts = TimeParts(turn.intervals)
      turns += 1
      runningSeconds += parts.running.seconds
      runnableSeconds += parts.runnable.seconds
      blockedSeconds += parts.blockedTotal.seconds
      blockedByCause.merge(parts.blockedByCause) { $0 + $1 }
      idleSeconds = max(0, idleSeconds - turn.length.seconds)
    }
  }
}
