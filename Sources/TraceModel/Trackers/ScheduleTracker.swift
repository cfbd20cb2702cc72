import PerfData

/// Follows every thread through running, runnable and blocked.
///
/// Its input is, in time order, sched_waking of the tracked threads and their switches, by sched_switch or by SWITCH
/// records or both. What a thread did before its first event is inferred from that event: a thread first seen being
/// woken had been blocked.
struct ScheduleTracker {
  /// A reference, so that a thread's growing history is never copied on its way through the dictionary.
  final class Thread {
    var model: ThreadModel
    var state: ThreadState?
    var since: Timestamp
    var stack: Int?
    /// A stack taken at a blocking switch whose scheduler record has not come yet.
    var pendingStack: (index: Int, cause: WaitCause)?
    /// The thread that ends the present wait.
    var waker: Int32?
    var hasEvents = false

    init(_ model: ThreadModel) {
      self.model = model
      since = model.start
    }
  }

  /// The two records of one switch (with and without stack) bear clocks this near to each other.
  static let stackWindow: UInt64 = 100_000

  /// A thread first seen as it gets a CPU had been blocked if that was long ago, else in the queue.
  static let longestUnseenQueue: UInt64 = 5_000_000

  /// A call returns so soon after the wait in it ended; in between is the kernel's way out alone.
  static let returnWindow: UInt64 = 200_000

  private(set) var threads = TidTable<Thread>()
  private var finished: [ThreadModel] = []

  mutating func begin(tid: Int32, pid: Int32, name: String, at time: Timestamp) {
    if let old = threads[tid], old.model.end == nil, old.model.pid == pid {
      if !name.isEmpty { threads[tid]?.model.name = name }
      return
    }
    if threads[tid] != nil { end(tid: tid, at: time) }
    threads[tid] = Thread(ThreadModel(tid: tid, pid: pid, name: name, start: time))
  }

  mutating func rename(tid: Int32, to name: String) { threads[tid]?.model.name = name }

  mutating func end(tid: Int32, at time: Timestamp) {
    guard let thread = threads.removeValue(forKey: tid) else { return }
    thread.close(at: time)
    thread.model.end = time
    finished.append(thread.model)
  }

  /// A process runs a new program: of its threads the one that did it goes on, by the first one's id.
  mutating func exec(pid: Int32, at time: Timestamp) {
    for tid in threads.keys where tid != pid && threads[tid]?.model.pid == pid {
      end(tid: tid, at: time)
    }
  }

  func pid(of tid: Int32) -> Int32? { threads[tid]?.model.pid }
  func name(of tid: Int32) -> String? { threads[tid]?.model.name }

  /// The thread left the CPU; `isRunnable` when it was preempted and still wants it.
  ///
  /// A trace may tell one switch twice, by sched_switch and by a SWITCH record: the second changes nothing.
  mutating func switchOut(tid: Int32, isRunnable: Bool, at time: Timestamp) {
    guard let thread = threads[tid] else { return }
    if thread.hasEvents, thread.state != .running { return }
    thread.change(
      to: isRunnable ? .runnable : .blocked(thread.pendingStack?.cause ?? .other),
      at: time, before: .running)
    if !isRunnable, let pending = thread.pendingStack { thread.stack = pending.index }
    thread.pendingStack = nil
  }

  /// Returns whether the thread ran on from a wait that nobody was seen to end, and what it had waited for.
  @discardableResult
  mutating func switchIn(tid: Int32, at time: Timestamp) -> WaitCause? {
    guard let thread = threads[tid] else { return nil }
    thread.pendingStack = nil
    if thread.hasEvents, thread.state == .running { return nil }
    var untold: WaitCause?
    if thread.hasEvents, case .blocked(let cause)? = thread.state { untold = cause }
    let waited = time.nanoseconds &- thread.since.nanoseconds > Self.longestUnseenQueue
    thread.change(to: .running, at: time, before: waited ? .blocked(.other) : .runnable)
    return untold
  }

  /// Returns what the thread was waiting for.
  mutating func wake(tid: Int32, by waker: Int32?, at time: Timestamp) -> WaitCause? {
    guard let thread = threads[tid] else { return nil }
    guard thread.hasEvents else {
      thread.waker = waker
      thread.change(to: .runnable, at: time, before: .blocked(.other))
      return nil
    }
    guard case .blocked(let cause)? = thread.state else { return nil }
    thread.waker = waker
    thread.change(to: .runnable, at: time, before: .blocked(.other))
    return cause
  }

  /// A stack taken as the thread blocked, before or just after the scheduler's record of it.
  mutating func blockedStack(tid: Int32, stack: Int, cause: WaitCause, at time: Timestamp) {
    guard let thread = threads[tid] else { return }
    if case .blocked(.other)? = thread.state, thread.stack == nil,
      time.nanoseconds &- thread.since.nanoseconds < Self.stackWindow
    {
      thread.state = .blocked(cause)
      thread.stack = stack
    } else {
      thread.pendingStack = (stack, cause)
    }
  }

  /// The thread came out of a call in which event loops wait; if it had just slept without a stack, it slept there.
  mutating func leftEventWait(tid: Int32, at time: Timestamp) {
    guard let thread = threads[tid], thread.state == .running,
      time.nanoseconds &- thread.since.nanoseconds < Self.returnWindow
    else { return }
    thread.model.intervals.tellLastWait(.eventWait)
  }

  mutating func finish(at time: Timestamp) -> [ThreadModel] {
    for tid in threads.keys {
      guard let thread = threads[tid] else { continue }
      thread.close(at: time)
      finished.append(thread.model)
    }
    threads = TidTable()
    return finished.sorted {
      ($0.pid, $0.start, $0.tid) < ($1.pid, $1.start, $1.tid)
    }
  }
}

extension ScheduleTracker.Thread {
  /// Ends the present interval and begins the next; `before` is what the first interval was, when nothing was known.
  func change(to next: ThreadState, at time: Timestamp, before: ThreadState) {
    if !hasEvents {
      state = before
      hasEvents = true
    }
    close(at: time)
    waker = nil
    state = next
    since = max(time, since)
    stack = nil
  }

  func close(at time: Timestamp) {
    guard let state, time > since else { return }
    var ender: Int32?
    if case .blocked = state { ender = waker }
    model.intervals.append(
      ThreadInterval(start: since, end: time, state: state, stack: stack, waker: ender))
    since = time
  }
}
