import PerfData
import Quantities

extension ScheduleTracker.Thread {
  mutating func begin(at time: Timestamp) {
    model.start = max(model.start, time)
    since = model.start
  }

  /// Its process runs another program, of which it may be asked alone.
  mutating func beginProgram(at time: Timestamp, _ processors: inout ProcessorUse) {
    guard state == .running else { return }
    processors.pass(time)
    history.beginProgram(
      at: time, after: max(time - since, .zero),
      besideIdle: processors.idle - (idleBefore ?? processors.idle))
  }

  @inline(__always)
  mutating func switchOut(
    isRunnable: Bool, at time: Timestamp, _ processors: inout ProcessorUse
  ) {
    switch state {
    case .running: processors.leave(at: time)
    // What was first seen as it left had been running.
    case .unseen: break
    case .runnable, .blocked: return
    }
    if time > since { closeRun(at: time, processors) }
    begin(isRunnable ? .runnable : .blocked, at: time)
    if let pending = pendingStack {
      pendingStack = nil
      if !isRunnable { wait = IntervalKey(.blocked(pending.cause), stack: pending.index) }
    } else if !isRunnable, let last = lastStack {
      wait = IntervalKey(.blocked(last.cause), stack: last.index)
    }
    if !isRunnable, let call { waits(in: call) }
  }

  /// It blocked in a system call, which tells what it waits for if the stack does not.
  @inline(never)
  private mutating func waits(in call: WaitCause) {
    guard wait.cause == .unknown else { return }
    if call == .eventWait { awaitsEvents = true }
    if isKnown(call) { wait = IntervalKey(.blocked(call), stack: wait.stack) }
  }

  /// Whether a call tells what is waited for: a thread without events of its own may be idle where others wait for a
  /// lock, as a worker of a pool is, or a server's main thread.
  func isKnown(_ call: WaitCause) -> Bool { call != .lock || awaitsEvents }

  @inline(__always)
  mutating func switchIn(
    at time: Timestamp, _ processors: inout ProcessorUse
  ) -> (pid: Int32, waited: WaitCause)? {
    pendingStack = nil
    var untold: (pid: Int32, waited: WaitCause)?
    switch state {
    case .running: return nil
    case .runnable: closeQueued(at: time)
    case .blocked:
      let early = earlyWake.flatMap {
        since.nanoseconds &- $0.time <= ScheduleTracker.leavingTakes ? $0 : nil
      }
      if early == nil { untold = (model.pid, wait.cause) }
      closeWait(at: time, by: early?.waker)
    case .unseen:
      let waited = time.nanoseconds &- since.nanoseconds > ScheduleTracker.longestUnseenQueue
      if waited { closeWait(at: time, by: nil) } else { closeQueued(at: time) }
    }
    begin(.running, at: time)
    processors.arrive(at: time)
    idleBefore = processors.idle
    return untold
  }

  mutating func foundRunning(
    byTracepoint: Bool, at time: Timestamp, _ processors: inout ProcessorUse
  ) -> (pid: Int32, waited: WaitCause)? {
    guard state != .running else { return nil }
    let beforehand = time.nanoseconds &- since.nanoseconds
    if state == .unseen, beforehand <= ScheduleTracker.longestUnseenQueue {
      state = .running
      processors.arrive(at: time)
      idleBefore = processors.idle
      return nil
    }
    guard beforehand > (byTracepoint ? 0 : ScheduleTracker.leavingWindow) else { return nil }
    model.untoldRuns += 1
    return switchIn(at: time, &processors)
  }

  @inline(__always)
  mutating func leaves(
    _ before: ScheduleTracker.Beginning, at time: Timestamp, _ processors: inout ProcessorUse
  ) -> (pid: Int32, waited: WaitCause)? {
    switch state {
    case .running: return nil
    case .unseen: guard case .dropped = before else { return nil }
    case .runnable, .blocked: break
    }
    return leavesUntold(before, at: time, &processors)
  }

  @inline(never)
  private mutating func leavesUntold(
    _ before: ScheduleTracker.Beginning, at time: Timestamp, _ processors: inout ProcessorUse
  ) -> (pid: Int32, waited: WaitCause)? {
    // Nothing tells since when it ran: a nanosecond stands for it. But a CPU that was idle takes a thread as it is
    // woken.
    var from = max(since, Timestamp(nanoseconds: max(time.nanoseconds, 1) - 1))
    if isWoken, case .idle(let idle) = before {
      from = max(since, idle)
    } else {
      model.untoldRuns += 1
    }
    return switchInUntold(at: from, &processors)
  }

  /// It leaves a CPU, and was not seen to get it: what idle CPUs do the kernel does not always tell, and one takes a
  /// thread as it is woken. Where the wake was not told either nothing tells since when it ran: a nanosecond stands for
  /// it.
  @inline(__always)
  mutating func foundLeaving(
    at time: Timestamp, _ processors: inout ProcessorUse
  ) -> (pid: Int32, waited: WaitCause)? {
    guard state == .blocked || state == .runnable, time > since else { return nil }
    if state == .runnable, isWoken { return switchInUntold(at: since, &processors) }
    model.untoldRuns += 1
    return switchInUntold(at: Timestamp(nanoseconds: time.nanoseconds - 1), &processors)
  }

  @inline(never)
  private mutating func switchInUntold(
    at time: Timestamp, _ processors: inout ProcessorUse
  ) -> (pid: Int32, waited: WaitCause)? {
    // The stack is of the wait that begins now, not of the one that the run ended.
    let leaving = pendingStack
    defer { pendingStack = leaving }
    return switchIn(at: time, &processors)
  }

  /// Its CPU was another's before a record said that it had left: a nanosecond stands for what it ran.
  @inline(never)
  mutating func lostProcessor(_ processors: inout ProcessorUse) {
    guard state == .running else { return }
    model.untoldRuns += 1
    switchOut(isRunnable: false, at: Timestamp(nanoseconds: since.nanoseconds &+ 1), &processors)
  }

  @inline(__always)
  mutating func wake(by waker: Int32?, at time: Timestamp) -> (pid: Int32, waited: WaitCause?) {
    guard state == .blocked || state == .unseen else {
      if state == .running { earlyWake = (time.nanoseconds, waker) }
      return (model.pid, nil)
    }
    let waited = state == .blocked ? wait.cause : nil
    closeWait(at: time, by: waker)
    begin(.runnable, at: time)
    isWoken = true
    return (model.pid, waited)
  }

  mutating func blocked(stack taken: Int, cause: WaitCause, at time: Timestamp, isLate: Bool) {
    // In a wait before anything else was told of it.
    if isLate, state == .unseen { begin(.blocked, at: since) }
    if state == .blocked, wait.stack == nil,
      isLate || time.nanoseconds &- since.nanoseconds < ScheduleTracker.stackWindow
    {
      wait = IntervalKey(.blocked(cause == .unknown ? wait.cause : cause), stack: taken)
    } else if !isLate {
      pendingStack = (taken, cause)
    }
  }

  /// No thread goes back to a stack that was told so long ago: twice what `stack_age` in the programs is.
  private static let longestMemory: UInt64 = 10_000_000_000
  private static let mostStacks = 256

  /// Of this wait, and of those to come that say so, or say nothing.
  mutating func learn(
    _ stack: Int, _ cause: WaitCause, at time: Timestamp, untilSaid: Bool
  ) {
    if untilSaid { lastStack = (stack, cause) }
    if earlierStacks.count >= Self.mostStacks {
      let oldest = time.nanoseconds &- min(time.nanoseconds, Self.longestMemory)
      earlierStacks = earlierStacks.filter { $0.key >= oldest }
    }
    earlierStacks[time.nanoseconds] = (stack, cause)
  }

  /// Its life up to a moment.
  mutating func finish(at time: Timestamp, _ processors: ProcessorUse) -> ThreadModel {
    if time > since {
      switch state {
      case .running: closeRun(at: time, processors)
      case .runnable: closeQueued(at: time)
      case .blocked: closeWait(at: time, by: nil)
      case .unseen: break
      }
    }
    model.intervals = history.finish(max(time, since).nanoseconds)
    return model
  }

  @inline(__always)
  private mutating func begin(_ state: ScheduleTracker.State, at time: Timestamp) {
    self.state = state
    since = max(time, since)
    isWoken = false
    if state == .running { earlyWake = nil }
    wait = .unknown
  }

  /// A run from `since` to a later moment.
  @inline(__always)
  private mutating func closeRun(at time: Timestamp, _ processors: ProcessorUse) {
    history.appendRun(
      from: since.nanoseconds, until: time.nanoseconds,
      besideIdle: processors.idle - (idleBefore ?? processors.idle))
  }

  @inline(__always)
  private mutating func closeQueued(at time: Timestamp) {
    guard time > since else { return }
    history.appendQueued(from: since.nanoseconds, until: time.nanoseconds)
  }

  @inline(__always)
  private mutating func closeWait(at time: Timestamp, by waker: Int32?) {
    guard time > since else { return }
    history.appendWait(
      from: since.nanoseconds, until: time.nanoseconds, wait.ended(by: waker))
  }
}
