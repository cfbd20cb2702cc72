import Quantities
import TraceModel

/// What came of a timed wait that expired: whether anything was done, and by which function.
///
/// A thread that wakes another hands the work on, as libdispatch's manager does for all timers of a program: what the
/// other does until it waits for events again belongs to it.
struct ExpiryWork {
  /// From the end of a wait to the next one.
  struct Spell {
    var tid: Int32
    var from: Timestamp
    var until: Timestamp
    /// On a CPU, and blocked elsewhere than in waits for events and times.
    var running: TimeSpan
    var blocked: TimeSpan
  }

  /// What was found.
  struct Outcome {
    var worked: Bool
    /// The function of the first Swift job that ran, of the program's own if there was one.
    var function: Frame?
    /// It set no other thread going.
    var isAlone = false
    /// Whether anything was done is not known.
    var isUntold = false
  }

  /// Running or being blocked for less than this is no work.
  private static let workThreshold = 0.001
  /// How often work is handed on from one expiry.
  private static let deepest = 3
  /// What sets so many threads going is no look for what never comes.
  private static let mostFollowed = 16
  /// With more, they are not followed.
  static let mostWakes = 400_000
  private static let mostJobs = 200_000

  private let subject: SubjectView
  private let histories: [Int32: ThreadHistory]
  /// When each thread wrote, sent, or woke another process, or a thread that had waited for that.
  private var acts: [Int32: [UInt64]] = [:]
  /// When each ended another's wait for just that, as it is told: see `endOfWait`.
  private var releases: [Int32: [UInt64]] = [:]
  private var wakes: [Int32: [(time: Timestamp, woken: Int32)]] = [:]
  private var jobs: [Int32: [JobRun]] = [:]
  /// Runs of one task after another, and when timed waits expired, on whatever thread.
  private var tasks: [UInt64: [JobRun]] = [:]
  private let expiries: [UInt64]
  /// What a timer sets going is handed to its executor so soon after it expired, also on a busy machine.
  private static let soon: UInt64 = 5_000_000
  /// Samples of running code and sites of writes and sends, by thread, in the order of time.
  private var sites: [Int32: [(time: Timestamp, stack: Int)]] = [:]
  /// There is too much of it: nothing is said of what came of anything.
  private let isUntold: Bool

  /// `expiries` are the ends of timed waits, by thread.
  init(
    _ subject: SubjectView, expiries: [Int32: [Timestamp]] = [:], mostWakes: Int = Self.mostWakes
  ) {
    self.subject = subject
    self.expiries = expiries.values.joined().map(\.nanoseconds).sorted()
    let pid = subject.pid
    histories = Dictionary(
      subject.threads.map { ($0.tid, subject.history(of: $0)) }, uniquingKeysWith: { $1 })
    let made = subject.trace.wakeups.matching { $0.context == .task && $0.wakerPid == pid }
    var count = 0
    for wakeup in made {
      count += 1
      guard count <= mostWakes else { break }
      switch wakeup.waited {
      case .eventWait?, .unknown?, nil:
        if wakeup.pid == pid {
          wakes[wakeup.waker, default: []].append((wakeup.time, wakeup.tid))
        } else {
          acts[wakeup.waker, default: []].append(wakeup.time.nanoseconds)
        }
      // It had waited for this.
      default: releases[wakeup.waker, default: []].append(wakeup.time.nanoseconds)
      }
    }
    isUntold = count > mostWakes
    guard !isUntold else { return }
    // What has no file behind it wakes others, as an eventfd does, which is told by who woke.
    for operation in subject.trace.fileOperations.matching({
      $0.pid == pid && $0.target != .other
    }) {
      if let stack = operation.stack {
        sites[operation.tid, default: []].append((operation.time, stack))
      }
      switch operation.kind {
      case .read, .open(truncates: false): break
      default: acts[operation.tid, default: []].append(operation.time.nanoseconds)
      }
    }
    for transfer in subject.trace.transfers where transfer.pid == pid && transfer.direction == .send
    {
      acts[transfer.tid, default: []].append(transfer.time.nanoseconds)
      if let stack = transfer.stack {
        sites[transfer.tid, default: []].append((transfer.time, stack))
      }
    }
    for sample in subject.trace.processorSamples where sample.pid == pid {
      if let stack = sample.stack { sites[sample.tid, default: []].append((sample.time, stack)) }
    }
    for tid in sites.keys { sites[tid]?.sort { $0.time < $1.time } }
    for tid in acts.keys { acts[tid]?.sort() }
    for tid in releases.keys { releases[tid]?.sort() }
    guard subject.trace.jobs.count <= Self.mostJobs else { return }
    for job in subject.trace.jobs.runs(of: pid) {
      jobs[job.tid, default: []].append(job)
      if let task = job.task { tasks[task, default: []].append(job) }
    }
  }

  func outcome(of spell: Spell) -> Outcome {
    guard !isUntold else { return Outcome(worked: false, isUntold: true) }
    return outcome(of: spell, depth: 0)
  }

  private func outcome(of spell: Spell, depth: Int) -> Outcome {
    var found = Outcome(
      worked: spell.running.seconds >= Self.workThreshold
        || spell.blocked.seconds >= Self.workThreshold || hasActed(in: spell)
        || hasAwaited(in: spell),
      function: job(in: spell) ?? handler(in: spell))
    guard depth < Self.deepest else { return found }
    let handed = handedOn(in: spell)
    found.isAlone = handed.isEmpty
    if handed.count > Self.mostFollowed || handed.contains(where: isSignal) {
      found.worked = true
    }
    for wake in handed.prefix(Self.mostFollowed)
    where !found.worked || found.function?.isProgram != true {
      guard let next = self.spell(of: wake.woken, from: wake.time) else { continue }
      let further = outcome(of: next, depth: depth + 1)
      found.worked = found.worked || further.worked
      found.function = Self.better(found.function, further.function)
    }
    return found
  }

  private func hasActed(in spell: Spell) -> Bool {
    Self.hasOne(acts[spell.tid], from: spell.from, until: spell.until)
      || Self.hasOne(
        releases[spell.tid], from: spell.from, until: endOfWait(of: spell.tid, from: spell.until))
  }

  private static func hasOne(
    _ times: [UInt64]?, from start: Timestamp, until end: Timestamp
  ) -> Bool {
    guard let times else { return false }
    let next = times.partitioningIndex { $0 >= start.nanoseconds }
    return next < times.count && times[next] <= end.nanoseconds
  }

  /// Whether what woke a thread is a signal, for which it had waited: no other wake ends such a wait.
  private func isSignal(_ wake: (time: Timestamp, woken: Int32)) -> Bool {
    guard let history = histories[wake.woken],
      let wait = history.from(wake.time).first(where: { $0.end >= wake.time }),
      wait.state == .blocked(.eventWait), let stack = wait.stack
    else { return false }
    return SignalWaits.contains(subject.trace.stacks.frames(of: stack))
  }

  /// Whether a task that ran was then kept waiting by something else than a timer, as by a database's queue: what it
  /// hands to a thread that is awake, or that waits for the disk, leaves no wake behind.
  private func hasAwaited(in spell: Spell) -> Bool {
    runs(in: spell).contains { run in
      guard let task = run.task, let all = tasks[task] else { return false }
      let next = all.partitioningIndex { $0.end > run.end }
      guard next < all.count, let enqueued = all[next].enqueued,
        (enqueued - run.end).seconds >= Self.workThreshold
      else { return false }
      // A timer's expiry that came after the task began to wait may be what it waited for.
      let later = expiries.partitioningIndex { $0 > enqueued.nanoseconds }
      guard later > 0, expiries[later - 1] > run.end.nanoseconds else { return true }
      return enqueued.nanoseconds - expiries[later - 1] > Self.soon
    }
  }

  /// The jobs that a thread ran meanwhile.
  private func runs(in spell: Spell) -> ArraySlice<JobRun> {
    guard let runs = jobs[spell.tid] else { return [] }
    let next = runs.partitioningIndex { $0.end >= spell.from }
    return runs[next...].prefix { $0.start <= spell.until }
  }

  private func job(in spell: Spell) -> Frame? {
    runs(in: spell).reduce(nil) { Self.better($0, $1.function) }
  }

  /// The handler of a dispatch source that ran: the program's function that libdispatch called, by the stacks of waits,
  /// writes, sends and samples in it.
  private func handler(in spell: Spell) -> Frame? {
    if let history = histories[spell.tid] {
      for interval in history.from(spell.from) {
        guard interval.start <= spell.until else { break }
        if interval.start >= spell.from, interval.state != .blocked(.eventWait),
          let stack = interval.stack, let frame = handler(of: stack)
        {
          return frame
        }
      }
    }
    guard let known = sites[spell.tid] else { return nil }
    let next = known.partitioningIndex { $0.time >= spell.from }
    return known[next...].prefix { $0.time <= spell.until }.lazy
      .compactMap { handler(of: $0.stack) }.first
  }

  private func handler(of stack: Int) -> Frame? {
    let frames = subject.trace.stacks.frames(of: stack)
    guard let call = frames.lastIndex(where: { Self.callsHandler($0.function ?? "") }) else {
      return nil
    }
    let own = frames[..<call].filter(\.isProgram)
    return own.last { $0.function?.hasPrefix("thunk for ") == false } ?? own.last
  }

  /// libdispatch's functions that call what a source or block holds; the optimiser leaves some of them out.
  private static func callsHandler(_ function: String) -> Bool {
    [
      "_dispatch_client_callout", "_dispatch_source_latch_and_call", "_dispatch_continuation_pop",
      "_dispatch_source_invoke",
    ].contains(where: function.hasPrefix)
  }

  /// Of two functions the one that tells more: the program's own, or else the library's that goes on rather than the
  /// runtime's with which every task starts (Swift 6.3.1).
  private static func better(_ one: Frame?, _ other: Frame?) -> Frame? {
    func rank(_ frame: Frame?) -> Int {
      guard let frame else { return 0 }
      return frame.isProgram ? 3 : frame.function?.hasPrefix("future_adapter") == true ? 1 : 2
    }
    return rank(other) > rank(one) ? other : one
  }

  private func handedOn(in spell: Spell) -> ArraySlice<(time: Timestamp, woken: Int32)> {
    guard let made = wakes[spell.tid] else { return [] }
    let first = made.partitioningIndex { $0.time >= spell.from }
    let last = endOfWait(of: spell.tid, from: spell.until)
    let end = made.partitioningIndex { $0.time > last }
    return first < end ? made[first..<end] : []
  }

  /// The end of the wait that a thread begins at a moment.
  ///
  /// Recorded within the process, a wake is told at the time at which the woken thread goes on: one that comes while
  /// the waker waits itself was made before it did.
  private func endOfWait(of tid: Int32, from time: Timestamp) -> Timestamp {
    guard let next = histories[tid]?.from(time).first(where: { $0.start >= time }),
      case .blocked = next.state
    else { return time }
    return next.end
  }

  /// What a thread did that was woken, until it waits for events again.
  private func spell(of tid: Int32, from time: Timestamp) -> Spell? {
    guard let history = histories[tid] else { return nil }
    var spell = Spell(tid: tid, from: time, until: time, running: .zero, blocked: .zero)
    for interval in history.from(time) where interval.end > time {
      switch interval.state {
      case .running: spell.running += interval.length
      case .blocked(let cause) where cause.isIdle:
        if interval.start > time { return spell }
      case .runnable: break
      // It may be idle there.
      case .blocked(.unknown): return spell
      case .blocked: spell.blocked += interval.end - max(interval.start, time)
      }
      spell.until = interval.end
      if spell.running.seconds + spell.blocked.seconds >= Self.workThreshold { return spell }
    }
    return spell
  }
}
