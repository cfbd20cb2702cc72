import PerfData
import Quantities

/// Follows every thread through running, runnable and blocked.
///
/// Its input is, in time order, sched_waking of the tracked threads and their switches, by sched_switch or by SWITCH
/// records or both. What a thread did before its first event is inferred from that event: a thread first seen being
/// woken had been blocked.
struct ScheduleTracker: ~Copyable {
  struct Thread {
    var model: ThreadModel
    var history: ThreadHistoryBuilder
    var state = State.unseen
    var since: Timestamp
    /// What it waits for, where it is blocked.
    var wait = IntervalKey.unknown
    /// A stack taken at a blocking switch whose scheduler record has not come yet.
    var pendingStack: (index: Int, cause: WaitCause)?
    /// Where stacks are told only as they are new: that of its last wait, where it stands for the next ones too, and
    /// those that it may go back to, by when they were told.
    var lastStack: (index: Int, cause: WaitCause)?
    var earlierStacks: [UInt64: (index: Int, cause: WaitCause)] = [:]
    /// What is waited for in the system call that it is in, where that is known.
    var call: WaitCause?
    /// It has waited for events: it is no thread that another wakes for each piece of work.
    var awaitsEvents = false
    /// It is in the queue since it was woken, not since it was preempted.
    var isWoken = false
    /// When it was woken last while it had its CPU yet, and by which thread.
    var earlyWake: (time: UInt64, waker: Int32?)?
    /// The CPU that it was last given, where runs have to be inferred; -1 where no switch told.
    var processor: Int32 = -1
    /// `ProcessorUse.idle` when it got the CPU it runs on.
    var idleBefore: TimeSpan?

    init(_ model: ThreadModel, learnsCauses: Bool) {
      self.model = model
      history = ThreadHistoryBuilder(followsIdle: true, learnsCauses: learnsCauses)
      since = model.start
    }
  }

  enum State: UInt8 {
    /// No event told anything yet.
    case unseen
    case running, runnable, blocked
  }

  /// The two records of one switch (with and without stack) bear clocks this near to each other.
  static let stackWindow: UInt64 = 100_000

  /// A counter's sample so soon after a switch may have been taken on the way out.
  static let leavingWindow: UInt64 = 100_000

  /// A thread that goes to sleep is on its CPU for as long at most until the switch is told: the kernel looks for
  /// another first. A wake that comes meanwhile ends the wait that the switch begins.
  static let leavingTakes: UInt64 = 100_000

  /// A thread first seen as it gets a CPU had been blocked if that was long ago, else in the queue.
  static let longestUnseenQueue: UInt64 = 5_000_000

  /// A call returns so soon after the wait in it ended; in between is the kernel's way out alone.
  static let returnWindow: UInt64 = 200_000

  /// Where a thread's stack is told once and stands for several of its waits.
  enum StackRepeats {
    case none
    /// A wait says which one it has.
    case said
    /// A wait that says nothing has the one before, too.
    case untilSaid
  }

  private(set) var threads = TidTable<Thread>()
  /// Stacks were taken while waits lasted, from outside: each is of the wait that the thread is in.
  var takesLateStacks = false
  /// Processes of which that is so beside others.
  var lookedAt: Set<Int32> = []
  /// How waits have stacks that were told before.
  var repeats = StackRepeats.none
  /// Switches are told by tracepoints, of which the kernel at times drops those of an idle CPU: a wake, and the arrival
  /// of the thread that was woken, but not that it left.
  var mayMissArrivals = false
  /// Calls' ends tell what the waits in them were for.
  var learnsCauses = false
  /// The trace has switches, so that a thread that is seen to run does so until one of them says otherwise.
  var tellsRuns = false
  var processors = ProcessorUse()
  private var finished: [ThreadModel] = []

  private var start = Timestamp(nanoseconds: 0)
  /// Since when each CPU has been idle, where runs have to be inferred; 0 for a busy one. CPUs of higher numbers, which
  /// no machine has, are taken for busy.
  private var idleSince = ContiguousArray<UInt64>(repeating: 0, count: 1 << 14)
  /// The thread that each CPU was last given to, where runs have to be inferred; -1 where no switch told.
  private var occupant = ContiguousArray<Int32>(repeating: -1, count: 1 << 14)
  /// CPUs that were seen to leave the idle task: all their switches are recorded, so that one which is not there was
  /// dropped. Elsewhere only the tracked threads' own are.
  private var isWhole = ContiguousArray<Bool>(repeating: false, count: 1 << 14)

  /// The time of the first event: what was known of threads before it has no time.
  mutating func starts(at time: Timestamp) {
    start = time
    for tid in threads.keys {
      if let thread = threads.place(of: tid), thread.pointee.state == .unseen {
        thread.pointee.begin(at: time)
      }
    }
  }

  mutating func begin(tid: Int32, pid: Int32, name: String, at time: Timestamp) {
    if let thread = threads.place(of: tid) {
      if thread.pointee.model.pid == pid {
        if !name.isEmpty { thread.pointee.model.name = name }
        return
      }
      end(tid: tid, at: time)
    }
    threads.insert(
      Thread(
        ThreadModel(tid: tid, pid: pid, name: name, start: max(time, start)),
        learnsCauses: learnsCauses), for: tid)
  }

  mutating func rename(tid: Int32, to name: String) {
    threads.place(of: tid)?.pointee.model.name = name
  }

  mutating func end(tid: Int32, at time: Timestamp) {
    guard var thread = threads.removeValue(forKey: tid) else { return }
    if thread.state == .running { processors.leave(at: time) }
    thread.model.end = time
    finished.append(thread.finish(at: time, processors))
  }

  /// A process runs a new program: of its threads the one that did it goes on, by the first one's id. It has its CPU
  /// just now, though no switch may tell that of the id.
  mutating func exec(pid: Int32, name: String, at time: Timestamp) {
    for tid in threads.keys where tid != pid && self.pid(of: tid) == pid {
      end(tid: tid, at: time)
    }
    begin(tid: pid, pid: pid, name: name, at: time)
    guard let thread = threads.place(of: pid) else { return }
    if tellsRuns, thread.pointee.state == .unseen {
      _ = thread.pointee.switchIn(at: time, &processors)
    }
    thread.pointee.beginProgram(at: time, &processors)
  }

  func pid(of tid: Int32) -> Int32? {
    threads.place(of: tid)?.pointee.model.pid
  }

  func name(of tid: Int32) -> String? {
    threads.place(of: tid)?.pointee.model.name
  }

  /// The thread left the CPU; `isRunnable` when it was preempted and still wants it.
  ///
  /// A trace may tell one switch twice, by sched_switch and by a SWITCH record: the second changes nothing.
  mutating func switchOut(tid: Int32, isRunnable: Bool, at time: Timestamp) {
    threads.place(of: tid)?.pointee.switchOut(isRunnable: isRunnable, at: time, &processors)
  }

  /// Returns the thread's process and what it had waited for, where it ran on from a wait that nobody was seen to end.
  @inline(__always)
  mutating func switchIn(tid: Int32, at time: Timestamp) -> (pid: Int32, waited: WaitCause)? {
    threads.place(of: tid)?.pointee.switchIn(at: time, &processors)
  }

  /// A sample was taken in the thread: it runs, though it was not seen to get a CPU; returns as `switchIn`.
  mutating func foundRunning(
    tid: Int32, byTracepoint: Bool, at time: Timestamp
  ) -> (pid: Int32, waited: WaitCause)? {
    threads.place(of: tid)?.pointee.foundRunning(byTracepoint: byTracepoint, at: time, &processors)
  }

  /// A thread leaves a CPU; where it was not seen to get one, what it waited for is over. Returns as `switchIn`.
  @inline(__always)
  mutating func foundLeaving(tid: Int32, at time: Timestamp) -> (pid: Int32, waited: WaitCause)? {
    guard mayMissArrivals else { return nil }
    return threads.place(of: tid)?.pointee.foundLeaving(at: time, &processors)
  }

  /// One thread left a CPU, still wanting it where `isRunnable`, and another got it; returns of each what `switchIn`
  /// does.
  ///
  /// `infersRuns` where nothing else tells that the first one had got the CPU.
  @inline(__always)
  mutating func switched(
    from previous: Int32, isRunnable: Bool, to next: Int32, on cpu: Int32, at time: Timestamp,
    infersRuns: Bool
  ) -> (previous: (pid: Int32, waited: WaitCause)?, next: (pid: Int32, waited: WaitCause)?) {
    let before = infersRuns ? give(cpu, from: previous, to: next, at: time) : .unknown
    var untold: (pid: Int32, waited: WaitCause)?
    if let thread = threads.place(of: previous) {
      if infersRuns { untold = thread.pointee.leaves(before, at: time, &processors) }
      thread.pointee.switchOut(isRunnable: isRunnable, at: time, &processors)
    }
    if infersRuns { arrives(next, on: cpu) }
    return (untold, switchIn(tid: next, at: time))
  }

  /// One that is given another CPU has left the one that it had, though the record of it was dropped.
  @inline(__always)
  private mutating func arrives(_ tid: Int32, on cpu: Int32) {
    guard let thread = threads.place(of: tid) else { return }
    if thread.pointee.processor != cpu {
      if thread.pointee.processor >= 0, cpu >= 0, cpu < isWhole.count, isWhole[Int(cpu)] {
        thread.pointee.lostProcessor(&processors)
      }
      thread.pointee.processor = cpu
    }
  }

  /// What a switch that begins a run would have told, where there was none.
  enum Beginning {
    /// The CPU was given to that thread, or nothing is known of it.
    case unknown
    /// The CPU had been idle since then, as far as the tracked threads' own switches tell.
    case idle(since: Timestamp)
    /// By the switches of that CPU it was not the thread's: the record that gave it to the thread was dropped.
    case dropped
  }

  /// Notes whom a CPU goes to, and tells what is known of the run that ends.
  @inline(__always)
  private mutating func give(
    _ cpu: Int32, from previous: Int32, to next: Int32, at time: Timestamp
  ) -> Beginning {
    guard cpu >= 0, cpu < idleSince.count else { return .unknown }
    let place = Int(cpu)
    let idle = idleSince[place]
    let last = occupant[place]
    idleSince[place] = next == 0 ? time.nanoseconds : 0
    occupant[place] = next
    if previous == 0 { isWhole[place] = true }
    if last >= 0, last != previous {
      if isWhole[place] {
        // Who had it lost it without a record, and when is not known.
        if let thread = threads.place(of: last), thread.pointee.processor == cpu {
          thread.pointee.lostProcessor(&processors)
        }
        return .dropped
      }
      // It was another's meanwhile: who is first seen now has not had it since the beginning.
      if threads.place(of: previous)?.pointee.state == .unseen { return .dropped }
    }
    return idle > 0 ? .idle(since: Timestamp(nanoseconds: idle)) : .unknown
  }

  /// Returns the thread's process and what it was waiting for; nil for a thread that is not known.
  @inline(__always)
  mutating func wake(
    tid: Int32, by waker: Int32?, at time: Timestamp
  ) -> (pid: Int32, waited: WaitCause?)? {
    threads.place(of: tid)?.pointee.wake(by: waker, at: time)
  }

  /// A stack taken as the thread blocked, before or just after the scheduler's record of it.
  mutating func blockedStack(
    tid: Int32, stack: Int, cause: WaitCause, at time: Timestamp, isLate: Bool = false
  ) {
    guard let thread = threads.place(of: tid) else { return }
    thread.pointee.blocked(stack: stack, cause: cause, at: time, isLate: isLate)
    guard repeats != .none else { return }
    thread.pointee.learn(stack, cause, at: time, untilSaid: repeats == .untilSaid)
  }

  /// The thread waits as it did then, or nobody knows how: from here on, or just now.
  mutating func waits(tid: Int32, asAt time: Timestamp) {
    guard let thread = threads.place(of: tid) else { return }
    let stack = thread.pointee.earlierStacks[time.nanoseconds]
    if repeats == .untilSaid {
      thread.pointee.lastStack = stack
    } else {
      thread.pointee.pendingStack = stack
    }
  }

  /// The thread begins or ends (nil) a system call in which such a thing is waited for.
  @inline(__always)
  mutating func isInCall(tid: Int32, waitingFor cause: WaitCause?) {
    threads.place(of: tid)?.pointee.call = cause
  }

  /// The thread came out of a call in which such a thing is waited for; if it had just slept without a stack, it slept
  /// there.
  mutating func leftCall(tid: Int32, waitingFor cause: WaitCause, at time: Timestamp) {
    guard let thread = threads.place(of: tid), thread.pointee.state == .running,
      time.nanoseconds &- thread.pointee.since.nanoseconds < Self.returnWindow
    else { return }
    if cause == .eventWait { thread.pointee.awaitsEvents = true }
    guard thread.pointee.isKnown(cause) else { return }
    thread.pointee.history.tellLastWait(cause)
  }

  mutating func finish(at time: Timestamp) -> [ThreadModel] {
    for tid in threads.keys {
      guard var thread = threads.removeValue(forKey: tid) else { continue }
      if thread.state == .running { processors.leave(at: time) }
      finished.append(thread.finish(at: time, processors))
    }
    return finished.sorted {
      ($0.pid, $0.start, $0.tid) < ($1.pid, $1.start, $1.tid)
    }
  }
}
