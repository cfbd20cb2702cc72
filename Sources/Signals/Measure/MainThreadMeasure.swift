import PerfData
import TraceModel

/// From leaving an event wait to the next.
struct Turn {
  var intervals: ThreadHistory
  var tid: Int32 = 0

  var start: Timestamp { intervals.first?.start ?? Timestamp(nanoseconds: 0) }
  var end: Timestamp { intervals.last?.end ?? start }
  var length: TimeSpan { end - start }

  /// The turns of a thread's life, which its event waits divide: how many, the first, and those that last so long.
  static func split(_ intervals: ThreadHistory, keeping shortest: TimeSpan) -> (
    count: Int, first: Turn?, long: [Turn]
  ) {
    var count = 0
    var first: Turn?
    var long: [Turn] = []
    var begin = intervals.startIndex
    var start: Timestamp?
    func end(_ index: Int, _ time: Timestamp) {
      defer { begin = index + 1 }
      guard let from = start else { return }
      count += 1
      if first == nil || time - from >= shortest {
        let turn = Turn(intervals: intervals[begin..<index])
        if time - from >= shortest { long.append(turn) }
        first = first ?? turn
      }
      start = nil
    }
    var last: Timestamp?
    for (index, interval) in intervals.enumerated() {
      if interval.state == .blocked(.eventWait) {
        end(index, interval.start)
      } else {
        start = start ?? interval.start
      }
      last = interval.end
    }
    if let last { end(intervals.endIndex, last) }
    return (count, first, long)
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
    let intervals = WaitInference.infer(choice.thread.intervals)
    let parts = TimeParts(intervals.totals)
    let turns = Turn.split(intervals, keeping: TimeSpan(seconds: 0.05))
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
    signal.hangs = long.filter { $0.length.seconds >= 0.1 }.map { hang($0, choice, subject) }
    signal.add(elsewhere)
    if hasEventLoop {
      signal.computingSeconds50ms = TimeParts(long.lazy.map(\.intervals).joined()).running.seconds
      signal.computingWhileIdleCPUs = IdleProcessors.overlap(of: long.map(\.intervals), in: subject)
    } else {
      signal.computingSeconds50ms = parts.running.seconds
      signal.computingWhileIdleCPUs = IdleProcessors.overlap(ofAll: intervals, in: subject)
    }
    let scored =
      hasEventLoop && turns.count > 1
      ? intervals[(launch?.intervals.endIndex ?? intervals.startIndex)...] : intervals
    signal.blockings = blockings(([scored] + elsewhere.map(\.intervals)).joined(), subject)
    return signal
  }

  /// Turns in which another worker did MainActor's work.
  private static func turnsElsewhere(
    of thread: ThreadModel, _ choice: MainThreadChoice, _ subject: SubjectView
  ) -> [Turn] {
    let samples = subject.trace.processorSamples.filter {
      $0.tid == thread.tid && $0.stack.map(choice.mainStacks.contains) == true
    }
    return Turn.split(thread.intervals, keeping: TimeSpan(seconds: 0.001)).long.filter { turn in
      turn.intervals.contains { $0.stack.map(choice.mainStacks.contains) == true }
        || samples.contains { $0.time >= turn.start && $0.time <= turn.end }
    }.map { turn in
      var own = turn
      own.tid = thread.tid
      return own
    }
  }

  private static func count(_ turns: [Turn], _ seconds: Double) -> Int {
    turns.count { $0.length.seconds >= seconds }
  }

  private static func hang(_ turn: Turn, _ choice: MainThreadChoice, _ subject: SubjectView)
    -> Hang
  {
    let parts = TimeParts(turn.intervals)
    let tid = turn.tid == 0 ? choice.thread.tid : turn.tid
    let stack = worstStack(turn, parts: parts, tid: tid, subject)
    let seconds = turn.length.seconds
    return Hang(
      start: subject.time(turn.start), durationSeconds: seconds,
      severity: HangSeverity(durationSeconds: seconds) ?? .noticeable,
      runningSeconds: parts.running.seconds, runnableSeconds: parts.runnable.seconds,
      blockedByCause: parts.blockedByCause, stack: stack, blamedFunction: stack.blamed)
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
    let turn = Turn(intervals: ThreadHistory(own), tid: job.tid)
    let parts = TimeParts(own)
    var stack = worstStack(turn, parts: parts, tid: job.tid, subject)
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
      blockedByCause: parts.blockedByCause, stack: stack, blamedFunction: stack.blamed)
  }

  /// The stack that held the turn up longest: of its blocked time, or of its samples if it computed.
  private static func worstStack(
    _ turn: Turn, parts: TimeParts, tid: Int32, _ subject: SubjectView
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
    where sample.tid == tid && sample.time >= turn.start && sample.time <= turn.end {
      if let stack = sample.stack { sampled[stack, default: 0] += 1 }
    }
    let hottest = sampled.max { ($0.value, $1.key) < ($1.value, $0.key) }
    return subject.frames(hottest?.key ?? worst?.key)
  }

  private struct BlockingKey: Hashable {
    var cause: WaitCause
    var stack: Int?
  }

  static func blockings(_ intervals: some Sequence<ThreadInterval>, _ subject: SubjectView)
    -> [Blocking]
  {
    var groups: [BlockingKey: (time: TimeSpan, count: Int, waker: Int32?)] = [:]
    // Most waits are like the one before.
    var last: (key: BlockingKey, time: TimeSpan, count: Int, waker: Int32?)?
    func add() {
      guard let last else { return }
      let old = groups[last.key] ?? (.zero, 0, nil)
      groups[last.key] = (old.time + last.time, old.count + last.count, last.waker ?? old.waker)
    }
    for interval in intervals {
      guard case .blocked(let cause) = interval.state, cause != .eventWait else { continue }
      let key = BlockingKey(cause: cause, stack: interval.stack)
      if last?.key != key {
        add()
        last = (key, .zero, 0, nil)
      }
      last?.time += interval.length
      last?.count += 1
      if let waker = interval.waker { last?.waker = waker }
    }
    add()
    let names = Dictionary(
      subject.trace.threads.map { ($0.tid, $0.name) }, uniquingKeysWith: { $1 })
    return groups.sorted {
      ($1.value.time, $0.key.stack ?? -1) < ($0.value.time, $1.key.stack ?? -1)
    }.map { key, value in
      Blocking(
        cause: key.cause.rawValue, seconds: value.time.seconds, count: value.count,
        stack: subject.frames(key.stack), waker: value.waker.flatMap { names[$0] })
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
