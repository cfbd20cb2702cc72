import PerfData
import Quantities

/// sched:* tracepoints, blocked stacks and CPU samples.
enum SchedulerDecoder {
  /// TASK_REPORT_MAX, or'ed in when the task was preempted (include/trace/events/sched.h).
  private static let reportMask: Int64 = 0xff

  static func schedSwitch(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let named = context.integer("prev_pid"),
      let next = context.thread("next_pid", state),
      let previousState = context.integer("prev_state")
    else { return }
    let previous = state.leaver(Int32(truncatingIfNeeded: named), context.tid, at: context.time)
    if hasStack(context, ofLeaver: previous) { blockedStack(context, &state) }
    switched(
      from: previous, to: next, previousState: previousState, on: context.record.cpu,
      at: context.time, &state)
  }

  /// Whether a switch brings the stack of the thread that leaves the CPU.
  static func hasStack(_ context: DecodingContext, ofLeaver previous: Int32) -> Bool {
    context.attribute.sampleType.contains(.callchain) && context.tid == previous
  }

  @inline(__always)
  static func switched(
    from previous: Int32, to next: Int32, previousState: Int64, on cpu: Int32, at time: Timestamp,
    _ state: inout LoaderState
  ) {
    let untold = state.schedule.switched(
      from: previous, isRunnable: previousState & reportMask == 0, to: next, on: cpu, at: time,
      infersRuns: state.infersRuns)
    runsOn(previous, untold.previous, at: time, &state)
    runsOn(next, untold.next, at: time, &state)
  }

  /// A SWITCH record. The kernel never drops one but for a full ring, as it may drop tracepoints, by which its programs
  /// tell switches.
  static func contextSwitch(
    _ what: ContextSwitch, tid: Int32, at time: Timestamp, _ state: inout LoaderState
  ) {
    switch what {
    case .arrived: runsOn(tid, state.schedule.switchIn(tid: tid, at: time), at: time, &state)
    case .left, .preempted:
      runsOn(tid, state.schedule.foundLeaving(tid: tid, at: time), at: time, &state)
      state.schedule.switchOut(tid: tid, isRunnable: what == .preempted, at: time)
    }
  }

  /// A sample was taken in a thread, so it had got a CPU, where its switches may not tell that.
  @inline(__always)
  static func foundRunning(
    _ tid: Int32, byTracepoint: Bool, at time: Timestamp, _ state: inout LoaderState
  ) {
    guard state.infersRuns || state.schedule.mayMissArrivals else { return }
    let untold = state.schedule.foundRunning(tid: tid, byTracepoint: byTracepoint, at: time)
    runsOn(tid, untold, at: time, &state)
  }

  /// A thread that runs on from a wait was woken, even if the trace does not tell by whom.
  @inline(__always)
  private static func runsOn(
    _ tid: Int32, _ untold: (pid: Int32, waited: WaitCause)?, at time: Timestamp,
    _ state: inout LoaderState
  ) {
    guard let (pid, waited) = untold, state.hasWakeups else { return }
    state.wakeups.append(
      Wakeup(
        time: time, tid: tid, pid: pid, waker: -1, wakerPid: -1, context: .unknown,
        waited: waited, cpuWasIdle: false))
  }

  static func schedWaking(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let woken = context.thread("pid", state) else { return }
    woke(
      woken, by: context.maker(state), of: context.pid,
      flags: context.integer("common_flags") ?? 0, at: context.time, &state)
  }

  @inline(__always)
  static func woke(
    _ tid: Int32, by waker: Int32, of wakerPid: Int32, flags: Int64, at time: Timestamp,
    _ state: inout LoaderState
  ) {
    // TRACE_FLAG_HARDIRQ 0x08, TRACE_FLAG_SOFTIRQ 0x10 (include/linux/trace_events.h).
    let kind: Wakeup.Context =
      flags & 0x08 != 0 ? .hardInterrupt : flags & 0x10 != 0 ? .softInterrupt : .task
    let woken: (pid: Int32, waited: WaitCause?)? =
      tid == Wakeup.nobodyKnown
      ? (tid, nil) : state.schedule.wake(tid: tid, by: kind == .task ? waker : nil, at: time)
    guard let (pid, waited) = woken else { return }
    state.wakeups.append(
      Wakeup(
        time: time, tid: tid, pid: pid, waker: waker, wakerPid: wakerPid, context: kind,
        waited: waited, cpuWasIdle: kind != .task && waker == 0))
  }

  static func schedWakeupNew(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let woken = context.thread("pid", state) else { return }
    _ = state.schedule.wake(tid: woken, by: nil, at: context.time)
  }

  /// As a thread blocks, or of looks from outside while it waits.
  static func blockedStack(_ context: DecodingContext, _ state: inout LoaderState) {
    let isLate =
      state.schedule.takesLateStacks
      || !state.schedule.lookedAt.isEmpty && state.schedule.lookedAt.contains(context.pid)
    blockedStack(context, isLate: isLate, &state)
  }

  /// As a thread leaves its CPU, to wait or not.
  static func leavingStack(_ context: DecodingContext, _ state: inout LoaderState) {
    guard hasLeavingStack(state) else { return }
    blockedStack(context, isLate: false, &state)
  }

  /// A foreign trace of switches without stacks tells nothing there.
  static func hasLeavingStack(_ state: borrowing LoaderState) -> Bool {
    state.schedule.takesLateStacks
  }

  private static func blockedStack(
    _ context: DecodingContext, isLate: Bool, _ state: inout LoaderState
  ) {
    guard let stack = state.stacks.stack(of: context) else { return }
    state.schedule.blockedStack(
      tid: context.tid, stack: stack, cause: state.stacks.cause(of: stack), at: context.time,
      isLate: isLate)
  }

  static func leftEventWait(_ context: DecodingContext, _ state: inout LoaderState) {
    state.schedule.leftCall(tid: context.tid, waitingFor: .eventWait, at: context.time)
  }

  static func processorSample(_ context: DecodingContext, _ state: inout LoaderState) {
    state.tables.processorSamples.append(
      ProcessorSample(
        time: context.time, pid: context.pid, tid: context.tid,
        stack: state.stacks.stackOrPlace(of: context), period: context.weight))
  }
}
