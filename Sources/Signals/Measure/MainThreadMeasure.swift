import Quantities
import TraceModel

/// Measures the main thread: its turns, hangs and waits.
enum MainThreadMeasure {
  static func measure(_ choice: MainThreadChoice, in subject: SubjectView) -> MainThreadSignal {
    switch choice.parked {
    case nil: measure(itself: choice, in: subject)
    case .works(let work)?: measure(work, choice, in: subject)
    case .idle?, .untold?: measure(parked: choice, in: subject)
    }
  }

  /// Of a thread that libdispatch parks and whose part nobody plays then: what it did up to there.
  private static func measure(
    parked choice: MainThreadChoice, in subject: SubjectView
  ) -> MainThreadSignal {
    let parts = TimeParts(subject.history(of: choice.thread).totals)
    let awake = parts.running + parts.runnable + parts.blockedTotal
    return MainThreadSignal(
      threadID: Int(choice.thread.tid), threadName: choice.thread.name, foundBy: choice.foundBy,
      isParked: true, runningSeconds: parts.running.seconds,
      runnableSeconds: parts.runnable.seconds, blockedSeconds: parts.blockedTotal.seconds,
      idleSeconds: max(0, subject.seconds - awake.seconds),
      blockedByCause: parts.blockedByCause)
  }

  /// Of a thread that is the main thread all its life.
  private static func measure(
    itself choice: MainThreadChoice, in subject: SubjectView
  ) -> MainThreadSignal {
    let intervals = subject.history(of: choice.thread)
    let parts = TimeParts(intervals.totals)
    let turns = subject.turns(of: choice.thread, keeping: TimeSpan(seconds: 0.05))
    let hasEventLoop = intervals.totals.eventWaits > 0
    // What a program does before its first event wait is its launch, which has a rule of its own.
    let ready = LifecycleMeasure.ready(main: choice.thread, in: subject)
    let launch = turns.first.flatMap { turn in ready.map { turn.start < $0 } == true ? turn : nil }
    let long = hasEventLoop ? turns.long.filter { $0.start != launch?.start } : []

    var signal = MainThreadSignal(
      threadID: Int(choice.thread.tid), threadName: choice.thread.name, foundBy: choice.foundBy,
      hasEventLoop: hasEventLoop, turns: turns.count, runningSeconds: parts.running.seconds,
      runnableSeconds: parts.runnable.seconds, blockedSeconds: parts.blockedTotal.seconds,
      idleSeconds: parts.idle.seconds, blockedByCause: parts.blockedByCause)
    signal.addLong(long, in: subject)
    if !hasEventLoop {
      signal.computingSeconds50ms = parts.running.seconds
      signal.computingWhileIdleCPUs = IdleProcessors.overlap(ofAll: intervals, in: subject)
    }
    signal.beganInWait = !hasEventLoop && beganInWait(intervals, in: subject)
    let scored = hasEventLoop && turns.count > 1 ? launch?.endIndex : nil
    signal.blockings =
      BlockingSums(intervals, from: scored ?? intervals.startIndex).blockings(subject)
    signal.waitSampling = subject.waitSampling(of: choice.thread)
    return signal
  }

  /// Whether a thread was in a wait as a recording of a running program began, for more than a share of its time that
  /// may be overlooked.
  private static func beganInWait(_ intervals: ThreadHistory, in subject: SubjectView) -> Bool {
    guard subject.trace.startsLate, let first = intervals.first, case .blocked = first.state
    else { return false }
    let life = intervals.reduce(TimeSpan.zero) { $0 + $1.length }
    return first.length.seconds > 0.02 * life.seconds
  }

  /// Of what workers do for the main queue and MainActor, which do one thing at a time: the rest of the time they are
  /// idle. The launch is the first thread's.
  private static func measure(
    _ work: MainQueueWork, _ choice: MainThreadChoice, in subject: SubjectView
  ) -> MainThreadSignal {
    let turns = work.turns(in: subject)
    var signal = MainThreadSignal(
      threadID: Int(choice.thread.tid), threadName: choice.thread.name, foundBy: choice.foundBy,
      idleSeconds: subject.seconds)
    signal.untold = work.untold
    signal.shortTurnsUntold = !work.tellsShortTurns
    var blockings = BlockingSums([])
    for turn in turns {
      let parts = TimeParts(turn.intervals)
      signal.turns += 1
      signal.runningSeconds += parts.running.seconds
      signal.runnableSeconds += parts.runnable.seconds
      signal.blockedSeconds += parts.blockedTotal.seconds
      signal.blockedByCause.merge(parts.blockedByCause) { $0 + $1 }
      signal.idleSeconds = max(0, signal.idleSeconds - turn.length.seconds)
      blockings.add(turn.intervals)
    }
    signal.addLong(turns.filter { $0.length.seconds >= 0.05 }, in: subject)
    signal.blockings = blockings.blockings(subject)
    return signal
  }

  static func hang(_ turn: Turn, _ subject: SubjectView) -> Hang {
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
      stack = [StackFrame(frame)]
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
    // Of some waits only the kind is known, and of others like them the functions.
    let named = blocked.filter { !subject.frames($0.key).isEmpty }
    let worst = (named.isEmpty ? blocked : named).max { ($0.value, $1.key) < ($1.value, $0.key) }
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

extension MainThreadSignal {
  /// Looks from outside are seldom farther apart, and a turn's beginning and end are each known to that.
  private static let lookSeconds = 0.015

  /// Adds what its turns of 50 ms and more come to.
  fileprivate mutating func addLong(_ long: [Turn], in subject: SubjectView) {
    func count(_ seconds: Double) -> Int { long.count { $0.length.seconds >= seconds } }
    turnsOver = TurnCounts(
      over50ms: long.count, over100ms: count(0.1), over250ms: count(0.25), over500ms: count(0.5),
      over2s: count(2))
    hangs = long.filter { $0.length.seconds >= 0.1 }.map { MainThreadMeasure.hang($0, subject) }
      .filter(\.isKnown)
    let fewest = min(count(0.1 + Self.lookSeconds), hangs.count)
    let most = max(count(0.1 - Self.lookSeconds), hangs.count)
    hangCounts = fewest < most ? fewest...most : nil
    computingSeconds50ms = TimeParts(long.lazy.map(\.intervals).joined()).running.seconds
    computingWhileIdleCPUs = IdleProcessors.overlap(of: long.map(\.intervals), in: subject)
  }
}
