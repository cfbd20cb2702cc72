import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

/// A process 100 that starts at 1 s; times below are nanoseconds.
func traceOf(_ build: (inout TraceBuilder) throws -> Void) throws -> Trace {
  var builder = TraceBuilder()
  try builder.capture(time: second, rootPid: 100)
  try builder.process(time: second, pid: 100)
  builder.comm(time: second, pid: 100, tid: 100, name: "program")
  try build(&builder)
  return try builder.withFile { try Trace.load(path: $0) }
}

let second: UInt64 = 1_000_000_000
let millisecond: UInt64 = 1_000_000

struct ScheduleTests {
  @Test func `a thread's intervals follow each other and add up to its life`() throws {
    let trace = try traceOf { builder in
      builder.switchIn(time: second + 1 * millisecond, 100)
      builder.switchOut(time: second + 11 * millisecond, 100)
      builder.waking(
        time: second + 31 * millisecond, by: 0, of: 100, context: .hardInterrupt)
      builder.switchIn(time: second + 32 * millisecond, 100)
      builder.switchOut(time: second + 40 * millisecond, 100, prevState: 0)
      builder.switchIn(time: second + 45 * millisecond, 100)
      builder.exit(time: second + 50 * millisecond, pid: 100, tid: 100)
    }
    let thread = try #require(trace.threads.first { $0.tid == 100 })
    let spans = thread.intervals.map { "\($0.state) \($0.length.nanoseconds / 1_000_000)" }
    #expect(
      spans == [
        "runnable 1", "running 10", "blocked(TraceModel.WaitCause.unknown) 20", "runnable 1",
        "running 8", "runnable 5", "running 5",
      ])
    #expect(thread.runningTime.nanoseconds == 23 * 1_000_000)
    for (one, next) in zip(thread.intervals, thread.intervals.dropFirst()) {
      #expect(one.end == next.start)
    }
    #expect(trace.wakeups.count == 1)
    #expect(trace.wakeups.allSatisfy { $0.isIdleWakeup && $0.cpuWasIdle })
  }

  // It was told as two wakes: one of a thread that ran, and one that nobody made.
  @Test(arguments: [(20_000, 1), (1_000_000, 2)] as [(UInt64, Int)])
  func `a wake that comes as a thread leaves its CPU ends the wait that it then begins`(
    before: UInt64, count: Int
  ) throws {
    let trace = try traceOf { builder in
      builder.switchIn(time: second + millisecond, 100)
      builder.waking(
        time: second + 5 * millisecond - before, by: 100, of: 100, context: .softInterrupt)
      builder.switchOut(time: second + 5 * millisecond, 100)
      builder.switchIn(time: second + 5 * millisecond + 30_000, 100)
      builder.exit(time: second + 9 * millisecond, pid: 100, tid: 100)
    }
    #expect(trace.wakeups.count == count)
    #expect(trace.wakeups.contains { $0.context == .unknown } == (count == 2))
    let thread = try #require(trace.threads.first { $0.tid == 100 })
    #expect(thread.runningTime.nanoseconds == 8 * millisecond - 30_000)
  }

  @Test(arguments: [0, 20_000])
  func `a stack taken just before or after the switch gives the wait its cause`(delay: UInt64)
    throws
  {
    let trace = try traceOf { builder in
      let switched = second + 5 * millisecond
      let stacked = switched - 10_000 + delay
      builder.switchIn(time: second + millisecond, 100)
      builder.blockedStack(time: stacked, 100)
      try builder.stack(
        time: stacked, tid: 100, functions: ["pread", "Reader.load()", "main"], firstID: 1)
      builder.switchOut(time: switched, 100)
      builder.waking(time: second + 9 * millisecond, by: 7, of: 100)
      builder.switchIn(time: second + 9 * millisecond, 100)
    }
    let blocked = try #require(
      trace.threads.first?.intervals.first { if case .blocked = $0.state { true } else { false } })
    let frames = trace.stacks.frames(of: try #require(blocked.stack))
    #expect(frames.map(\.function) == ["pread", "Reader.load()", "main"])
  }

  @Test func `the end of a call that waits for events tells a wait without a stack`() throws {
    var schedule = ScheduleTracker()
    func at(_ microseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: microseconds * 1000) }
    schedule.begin(tid: 1, pid: 1, name: "program", at: at(0))
    for wait in UInt64(0)..<3 {
      _ = schedule.switchIn(tid: 1, at: at(wait * 1000))
      // Late in its run the thread came from elsewhere, as when it polls without waiting.
      let left = [0, 10, 400][Int(wait)] as UInt64
      if wait > 0 {
        schedule.leftCall(tid: 1, waitingFor: .eventWait, at: at(wait * 1000 + left))
      }
      schedule.switchOut(tid: 1, isRunnable: false, at: at(wait * 1000 + 500))
    }
    let thread = try #require(schedule.finish(at: at(3000)).first)
    let waits = thread.intervals.compactMap { interval -> WaitCause? in
      if case .blocked(let cause) = interval.state { return cause }
      return nil
    }
    #expect(waits == [.eventWait, .unknown, .unknown])
    #expect(thread.intervals.totals.eventWaits == 1 && thread.intervals.totals.unknownWaits == 2)
    #expect(thread.intervals.totals.blocked(by: .eventWait).nanoseconds == 500_000)
  }

  @Test(
    arguments: [
      (232, .eventWait), (271, .eventWait), (130, .eventWait), (230, .sleep), (74, .sync),
      (61, .child),
      (45, .network), (17, .file), (0, .other), (157, .other), (511, nil), (-1, nil),
    ] as [(Int32, WaitCause?)])
  func `the number of a call tells what a wait in it is for`(number: Int32, cause: WaitCause?) {
    #expect(CallWaits(architecture: "x86_64").cause(of: number) == cause)
    #expect(CallWaits(architecture: "riscv64").cause(of: number) == nil)
  }

  @Test(arguments: [true, false])
  func `a wait without a stack is for what its call waits for`(isEntered: Bool) throws {
    var schedule = ScheduleTracker()
    schedule.learnsCauses = true
    func at(_ microseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: microseconds * 1000) }
    schedule.begin(tid: 1, pid: 1, name: "program", at: at(0))
    // A thread that never waited for events may be idle in a lock.
    let calls: [WaitCause?] = [.lock, .sleep, nil, .eventWait, .lock, .network]
    for (index, call) in calls.enumerated() {
      let start = UInt64(index) * 1000
      _ = schedule.switchIn(tid: 1, at: at(start))
      if isEntered { schedule.isInCall(tid: 1, waitingFor: call) }
      schedule.switchOut(tid: 1, isRunnable: false, at: at(start + 500))
      _ = schedule.wake(tid: 1, by: Int32(index), at: at(start + 900))
      _ = schedule.switchIn(tid: 1, at: at(start + 950))
      if let call { schedule.leftCall(tid: 1, waitingFor: call, at: at(start + 960)) }
      schedule.isInCall(tid: 1, waitingFor: nil)
    }
    let thread = try #require(schedule.finish(at: at(6000)).first)
    let waits = thread.intervals.compactMap { interval -> WaitCause? in
      if case .blocked(let cause) = interval.state { return cause }
      return nil
    }
    #expect(waits == [.unknown, .sleep, .unknown, .eventWait, .lock, .network])
    #expect(thread.intervals.compactMap(\.waker) == [0, 1, 2, 3, 4, 5])
  }

  /// Stock perf follows a thread's own switches alone, each with the stack at which it left the CPU.
  @Test func `a stack taken on leaving is of the wait that begins, though no record began the run`()
    throws
  {
    var schedule = ScheduleTracker()
    func at(_ microseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: microseconds * 1000) }
    schedule.begin(tid: 1, pid: 1, name: "program", at: at(0))
    for (time, cause) in [(UInt64(10), WaitCause.eventWait), (1000, .sleep), (2000, .lock)] {
      if time > 10 { _ = schedule.wake(tid: 1, by: nil, at: at(time - 50)) }
      schedule.blockedStack(tid: 1, stack: Int(time), cause: cause, at: at(time))
      _ = schedule.switched(
        from: 1, isRunnable: false, to: 0, on: 0, at: at(time), infersRuns: true)
    }
    let thread = try #require(schedule.finish(at: at(3000)).first)
    let waits = thread.intervals.filter { if case .blocked = $0.state { true } else { false } }
    #expect(waits.map(\.state) == [.eventWait, .sleep, .lock].map(ThreadState.blocked))
    #expect(waits.map(\.stack) == [10, 1000, 2000])
  }

  /// A recorder in the kernel tells a stack once, for the waits that follow as well; one within the process says of
  /// each wait which it has.
  @Test(arguments: [
    (ScheduleTracker.StackRepeats.untilSaid, [nil, 7, 7, 8, 7, 7, nil, 8]),
    (.said, [nil, 7, nil, 8, 7, nil, nil, 8]),
  ])
  func `a wait without a stack has that of the wait before, or the one that is gone back to`(
    repeats: ScheduleTracker.StackRepeats, stacks: [Int?]
  ) throws {
    var schedule = ScheduleTracker()
    schedule.repeats = repeats
    func at(_ microseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: microseconds * 1000) }
    schedule.begin(tid: 1, pid: 1, name: "program", at: at(0))
    func wait(
      _ time: UInt64, told: (stack: Int, cause: WaitCause)? = nil, asAt earlier: UInt64? = nil
    ) {
      if let told {
        schedule.blockedStack(tid: 1, stack: told.stack, cause: told.cause, at: at(time))
      }
      if let earlier { schedule.waits(tid: 1, asAt: at(earlier)) }
      schedule.switchOut(tid: 1, isRunnable: false, at: at(time))
      _ = schedule.wake(tid: 1, by: nil, at: at(time + 50))
      _ = schedule.switchIn(tid: 1, at: at(time + 60))
      // Who is kept from its CPU waits for nothing.
      schedule.switchOut(tid: 1, isRunnable: true, at: at(time + 70))
      _ = schedule.switchIn(tid: 1, at: at(time + 80))
    }
    wait(100)
    wait(200, told: (7, .lock))
    wait(300)
    wait(400, told: (8, .sleep))
    wait(500, asAt: 200)
    wait(600)
    wait(700, asAt: 0)
    wait(800, asAt: 400)
    let thread = try #require(schedule.finish(at: at(900)).first)
    let waits = thread.intervals.filter { if case .blocked = $0.state { true } else { false } }
    #expect(waits.map(\.stack) == stacks)
    let causes: [WaitCause] = stacks.map { $0 == nil ? .unknown : $0 == 7 ? .lock : .sleep }
    #expect(waits.map(\.state) == causes.map(ThreadState.blocked))
  }

  @Test func `a run that no record begins begins with what shows it`() throws {
    var schedule = ScheduleTracker()
    func at(_ microseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: microseconds * 1000) }
    func leave(_ time: UInt64, isRunnable: Bool = false) {
      _ = schedule.switched(
        from: 1, isRunnable: isRunnable, to: 0, on: 0, at: at(time), infersRuns: true)
    }
    schedule.begin(tid: 1, pid: 1, name: "program", at: at(0))
    // Before the first event it ran.
    _ = schedule.foundRunning(tid: 1, byTracepoint: true, at: at(100))
    leave(1000)
    // A counter's sample on the way out shows nothing, a tracepoint's later on does.
    #expect(schedule.foundRunning(tid: 1, byTracepoint: false, at: at(1001)) == nil)
    let waited = schedule.foundRunning(tid: 1, byTracepoint: true, at: at(1500))
    #expect(waited?.waited == .unknown)
    leave(1600)
    // Woken while its CPU was idle.
    _ = schedule.wake(tid: 1, by: 2, at: at(1700))
    leave(1800)
    // Nothing but its leaving again.
    leave(2000, isRunnable: true)
    let thread = try #require(schedule.finish(at: at(3000)).first)
    let spans = thread.intervals.map { "\($0.state) \($0.length.nanoseconds)" }
    let blocked = "blocked(TraceModel.WaitCause.unknown)"
    #expect(
      spans == [
        "running 1000000", "\(blocked) 500000", "running 100000", "\(blocked) 100000",
        "running 100000", "\(blocked) 199999", "running 1", "runnable 1000000",
      ])
    #expect(thread.untoldRuns == 2)
  }

  // Stock perf drops a tracepoint that fires within another event's handler. A thread that slept was charged with all
  // the time since its CPU's last switch, 495 ms for 50 µs, and was scored.
  @Test(arguments: [nil, 200, 400_000] as [UInt64?])
  func `a run without its beginning is not charged with the time since its CPU's last switch`(
    wokenAt: UInt64?
  ) throws {
    var builder = TraceBuilder()
    let start = second
    func at(_ microseconds: UInt64) -> UInt64 { start + microseconds * 1000 }
    for (pid, name) in [(Int32(100), "sleeper"), (200, "worker"), (300, "other")] {
      builder.comm(time: start, pid: pid, tid: pid, name: name)
    }
    builder.switchIn(time: at(0), 100, cpu: 1)
    builder.switchOut(time: at(50), 100, cpu: 1)
    builder.switchIn(time: at(0), 200, cpu: 0)
    builder.switchOut(time: at(20_000), 200, cpu: 0)
    if let wokenAt { builder.waking(time: at(wokenAt), by: 0, of: 100, context: .hardInterrupt) }
    builder.switchOut(time: at(495_000), 100, cpu: 1)
    // One that is first seen as it leaves a CPU that was another's.
    builder.switchOut(time: at(600_000), 300, cpu: 1)
    // One whose CPU is another's before it was seen to leave it.
    builder.switchIn(time: at(700_000), 300, cpu: 1)
    builder.switchTask(time: at(900_000), from: 200, to: 0, cpu: 1)
    builder.comm(time: at(1_000_000), pid: 200, tid: 200, name: "worker")
    let trace = try builder.withFile { try Trace.load(path: $0) }
    func running(_ tid: Int32) throws -> Int64 {
      try #require(trace.threads.first { $0.tid == tid }).runningTime.nanoseconds
    }
    #expect(try running(100) == 50_001)
    #expect(try running(200) == 20_000_001)
    #expect(try running(300) == 2)
    #expect(trace.subject.pid == 200)
    #expect(trace.metadata.untoldRuns == 1)
  }

  // The kernel drops the wake and the arrival on an idle CPU at times: 14 of 20,000 sleeps were none.
  @Test func `a wait whose end was dropped is over as its thread leaves a CPU again`() throws {
    func waits(_ recorder: String?) throws -> (lengths: [Int64], wakeups: Int) {
      var builder = TraceBuilder()
      func at(_ microseconds: UInt64) -> UInt64 { second + microseconds * 1000 }
      var capture = CaptureEvent(mode: .wrap, scope: .process, rootPid: 100, complete: true)
      capture.recorder = recorder
      try builder.synthetic(capture, time: second, pid: 100)
      builder.comm(time: second, pid: 100, tid: 100, name: "sleeper")
      for (time, what) in [
        (10, .arrived), (20, .left), (400, .left), (790, .arrived), (800, .left), (1200, .arrived),
        (1210, .preempted), (1500, .preempted),
      ] as [(UInt64, ContextSwitch)] {
        builder.contextSwitch(time: at(time), 100, what)
      }
      builder.waking(time: at(785), by: 0, of: 100, context: .hardInterrupt)
      let trace = try builder.withFile { try Trace.load(path: $0) }
      let thread = try #require(trace.threads.first { $0.tid == 100 })
      return (
        thread.intervals.filter { if case .blocked = $0.state { true } else { false } }.map {
          ($0.length.nanoseconds + 1) / 1000
        },
        trace.wakeups.count { $0.tid == 100 }
      )
    }
    let kernel = try waits(CaptureEvent.kernelRecorder)
    #expect(kernel.lengths.starts(with: [380, 385, 400]), "\(kernel.lengths)")
    #expect(kernel.wakeups == 3)
    // perf's own SWITCH records are never dropped: a second one tells the same switch once more.
    #expect(try waits(nil).lengths.starts(with: [765, 400]))
  }

  // 50 ms of computing were idle, and 28 ms of it in the queue for a CPU.
  @Test func `a run whose beginning was dropped begins with its wake or its first sample`() throws {
    var builder = TraceBuilder()
    func at(_ milliseconds: UInt64) -> UInt64 { second + milliseconds * millisecond }
    var capture = CaptureEvent(mode: .wrap, scope: .process, rootPid: 100, complete: true)
    capture.recorder = CaptureEvent.kernelRecorder
    try builder.synthetic(capture, time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "burner")
    builder.contextSwitch(time: at(1), 100, .arrived)
    builder.contextSwitch(time: at(2), 100, .left)
    // Neither its wake nor its arrival is told.
    for time in [12, 22, 32] { builder.processorSample(time: at(UInt64(time)), 100) }
    builder.contextSwitch(time: at(40), 100, .preempted)
    for time in [60, 70] { builder.processorSample(time: at(UInt64(time)), 100) }
    builder.contextSwitch(time: at(75), 100, .left)
    // Who is woken by an idle CPU has it at once.
    builder.waking(time: at(80), by: 0, of: 100, context: .hardInterrupt)
    builder.contextSwitch(time: at(90), 100, .left)
    builder.contextSwitch(time: at(95), 100, .left)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let thread = try #require(trace.threads.first { $0.tid == 100 })
    #expect(
      thread.intervals.filter { $0.state == .running }.map(\.length.nanoseconds)
        == [1_000_000, 28_000_000, 15_000_000, 10_000_000, 1])
    #expect(thread.untoldRuns == 3)
    #expect(trace.wakeups.count { $0.tid == 100 } == 3)
  }

  // A task of which all CPUs' switches told nothing but that it left one after a second had that second as CPU time.
  @Test(arguments: [true, false])
  func `who is first seen as it leaves a CPU had it no longer than nobody else`(isFirst: Bool)
    throws
  {
    var builder = TraceBuilder()
    builder.comm(time: second, pid: 100, tid: 100, name: "100")
    builder.comm(time: second, pid: 200, tid: 200, name: "200")
    builder.switchOut(time: second, 200, cpu: 0)
    if !isFirst { builder.switchOut(time: second + 5 * millisecond, 200, cpu: 1) }
    builder.switchOut(time: second + 900 * millisecond, 100, cpu: 1)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let thread = try #require(trace.threads.first { $0.tid == 100 })
    #expect(thread.runningTime.nanoseconds == (isFirst ? 900_000_000 : 1))
    #expect(thread.untoldRuns == (isFirst ? 0 : 1))
  }

  @Test func `a thread that came to another CPU is not lost with the one that it had`() throws {
    var builder = TraceBuilder()
    func at(_ microseconds: UInt64) -> UInt64 { second + microseconds * 1000 }
    for pid in [Int32(100), 200] { builder.comm(time: second, pid: pid, tid: pid, name: "\(pid)") }
    builder.switchIn(time: at(0), 100, cpu: 1)
    builder.switchIn(time: at(0), 200, cpu: 0)
    builder.switchOut(time: at(10), 200, cpu: 0)
    // Its leaving CPU 1 was dropped; what CPU 1 does then is told of no thread that it has.
    builder.switchIn(time: at(1000), 100, cpu: 0)
    builder.switchIn(time: at(1500), 200, cpu: 1)
    builder.switchOut(time: at(1600), 200, cpu: 1)
    builder.switchOut(time: at(3000), 100, cpu: 0)
    let trace = try builder.withFile { try Trace.load(path: $0) }
    let running = [Int32(100), 200].map { tid in
      trace.threads.first { $0.tid == tid }?.runningTime.nanoseconds
    }
    #expect(running == [2_000_001, 110_000])
  }

  @Test func `switches told twice count once, and a wake that was not told is a wakeup`() throws {
    let trace = try traceOf { builder in
      builder.contextSwitch(time: second + 1 * millisecond, 100, .arrived)
      builder.switchOut(time: second + 11 * millisecond, 100)
      builder.contextSwitch(time: second + 11 * millisecond + 900, 100, .left)
      // Nobody was seen to wake it.
      builder.contextSwitch(time: second + 31 * millisecond, 100, .arrived)
      builder.contextSwitch(time: second + 35 * millisecond, 100, .preempted)
      builder.contextSwitch(time: second + 36 * millisecond, 100, .arrived)
      builder.contextSwitch(time: second + 40 * millisecond, 100, .left)
      builder.waking(time: second + 50 * millisecond, by: 7, of: 100)
      builder.switchIn(time: second + 51 * millisecond, 100)
      builder.contextSwitch(time: second + 51 * millisecond + 900, 100, .arrived)
      builder.exit(time: second + 60 * millisecond, pid: 100, tid: 100)
    }
    let thread = try #require(trace.threads.first { $0.tid == 100 })
    let spans = thread.intervals.map { "\($0.state) \($0.length.nanoseconds / 1_000_000)" }
    let blocked = "blocked(TraceModel.WaitCause.unknown)"
    #expect(
      spans == [
        "runnable 1", "running 10", "\(blocked) 20", "running 4", "runnable 1", "running 4",
        "\(blocked) 10", "runnable 1", "running 9",
      ])
    #expect(trace.wakeups.map(\.context) == [.unknown, .task])
  }

  @Test func `what a process did before its exec is not the program's`() throws {
    let trace = try traceOf { builder in
      builder.contextSwitch(time: second + 1 * millisecond, 100, .arrived)
      builder.comm(
        time: second + 5 * millisecond, pid: 100, tid: 100, name: "later", isExec: true)
      builder.contextSwitch(time: second + 8 * millisecond, 100, .left)
      builder.exit(time: second + 9 * millisecond, pid: 100, tid: 100)
    }
    #expect(trace.subject.start.nanoseconds == second + 5 * millisecond)
    let thread = try #require(trace.threads.first { $0.tid == 100 })
    #expect(thread.runningTime.nanoseconds == 3 * 1_000_000)
    #expect(trace.processes.first?.cpuSeconds == 0.007)
  }

  @Test func `what /proc counted before an exec is not the program's`() throws {
    func reading(_ count: UInt64) -> FootprintSample {
      var sample = FootprintSample()
      sample.anonymous = 4096
      (sample.readCalls, sample.readChars, sample.minorFaults) = (count, count * 100, count * 2)
      sample.storageWriteBytes = count * 1000
      return sample
    }
    func trace(execAt exec: UInt64, readAt times: [(UInt64, UInt64)]) throws -> Trace {
      try traceOf { builder in
        for (time, count) in times where time < exec {
          builder.footprint(time: second + time * millisecond, pid: 100, reading(count))
        }
        builder.comm(
          time: second + exec * millisecond, pid: 100, tid: 100, name: "later", isExec: true)
        for (time, count) in times where time >= exec {
          builder.footprint(time: second + time * millisecond, pid: 100, reading(count))
        }
        try builder.synthetic(
          ProcessEvent(pid: 100, kind: .exit, exitStatus: 0, peakResidentBytes: 240 << 20),
          time: second + 900 * millisecond, pid: 100)
      }
    }
    // The reading that is nearest to the exec tells what came before.
    let late = try trace(execAt: 500, readAt: [(400, 5000), (501, 5120), (601, 5123)])
    #expect(late.footprints.map(\.sample.readCalls) == [0, 3])
    #expect(late.footprints.last?.sample == reading(5123).counted(since: reading(5120)))
    #expect(late.subject.peakResidentBytes == nil)
    let early = try trace(execAt: 500, readAt: [(499, 5000), (601, 5123)])
    #expect(early.footprints.map(\.sample.readCalls) == [123])
    // A program that is there from the beginning has all that is counted.
    let only = try trace(execAt: 1, readAt: [(2, 7), (601, 9)])
    #expect(only.footprints.map(\.sample.readCalls) == [7, 9])
    #expect(only.subject.peakResidentBytes == 240 << 20)
  }

  @Test
  func
    `a look that finds a program later does not move its beginning, one that finds another does`()
    throws
  {
    func trace(finding executable: String) throws -> Trace {
      try traceOf { builder in
        builder.comm(
          time: second + 5 * millisecond, pid: 100, tid: 100, name: "later", isExec: true)
        builder.contextSwitch(time: second + 5 * millisecond, 100, .arrived)
        builder.mmap(
          time: second + 6 * millisecond, pid: 100, start: 0x1000, length: 0x1000,
          path: "/bin/later")
        try builder.process(
          time: second + 8 * millisecond, pid: 100, kind: .exec, executable: executable)
        builder.contextSwitch(time: second + 9 * millisecond, 100, .left)
        builder.exit(time: second + 9 * millisecond, pid: 100, tid: 100)
      }
    }
    let same = try trace(finding: "/bin/later")
    #expect(same.subject.start.nanoseconds == second + 5 * millisecond)
    #expect(same.subject.cpuSeconds == 0.004)
    let other = try trace(finding: "/bin/static")
    #expect(other.subject.start.nanoseconds == second + 8 * millisecond)
  }

  // A CPU of its own, until the end: no switch bears the id that it has from its exec on.
  @Test func `another thread that runs a program has its CPU as it does so`() throws {
    let trace = try traceOf { builder in
      builder.contextSwitch(time: second + 1 * millisecond, 100, .arrived)
      builder.contextSwitch(time: second + 2 * millisecond, 100, .left)
      builder.fork(
        time: second + 2 * millisecond, pid: 100, tid: 101, parentPid: 100, parentTid: 100)
      builder.contextSwitch(time: second + 3 * millisecond, 101, .arrived)
      builder.exit(time: second + 4 * millisecond, pid: 100, tid: 100)
      builder.comm(
        time: second + 5 * millisecond, pid: 100, tid: 100, name: "later", isExec: true)
      builder.exit(time: second + 65 * millisecond, pid: 100, tid: 100)
    }
    let thread = try #require(trace.threads(of: 100).first)
    #expect(thread.name == "later" && thread.runningTime.nanoseconds == 60 * 1_000_000)
    #expect(trace.wakeups.count == 0)
  }

  @Test func `an exec by another thread ends the others and not the process`() throws {
    let trace = try traceOf { builder in
      builder.contextSwitch(time: second + 1 * millisecond, 100, .arrived)
      builder.contextSwitch(time: second + 2 * millisecond, 100, .left)
      builder.fork(
        time: second + 2 * millisecond, pid: 100, tid: 101, parentPid: 100, parentTid: 100)
      builder.contextSwitch(time: second + 3 * millisecond, 101, .arrived)
      builder.exit(time: second + 4 * millisecond, pid: 100, tid: 100)
      builder.comm(
        time: second + 5 * millisecond, pid: 100, tid: 100, name: "later", isExec: true)
      builder.contextSwitch(time: second + 8 * millisecond, 100, .left)
      builder.waking(time: second + 20 * millisecond, by: 7, of: 100)
      builder.exit(time: second + 30 * millisecond, pid: 100, tid: 100)
      builder.comm(time: second + 90 * millisecond, pid: 200, tid: 200, name: "other")
    }
    #expect(trace.threads(of: 100).map(\.tid) == [100])
    let thread = try #require(trace.threads(of: 100).first)
    #expect(thread.runningTime.nanoseconds == 3 * 1_000_000)
    #expect(trace.subject.end?.nanoseconds == second + 30 * millisecond)
    #expect(trace.wakeups.count == 1)
  }

  @Test func `an embedded name of hostile text is kept as it is`() throws {
    let trace = try traceOf { builder in
      builder.switchIn(time: second + millisecond, 100)
      builder.blockedStack(time: second + 2 * millisecond, 100)
      try builder.stack(
        time: second + 2 * millisecond, tid: 100, functions: ["</script>\u{1b}[31m"], firstID: 1)
      builder.switchOut(time: second + 2 * millisecond, 100)
      builder.exit(time: second + 3 * millisecond, pid: 100, tid: 100)
    }
    #expect(trace.stacks.frames.contains { $0.function == "</script>\u{1b}[31m" })
  }
}

struct WaitClassifierTests {
  private func frame(
    _ name: String?, in module: String = "m", kernel: Bool = false, program: Bool = false
  ) -> Frame {
    Frame(
      function: name, module: kernel ? "[kernel]" : module, moduleOffset: 0, file: nil, line: nil,
      isKernel: kernel, isProgram: program)
  }

  private func cause(kernel: [String], user: [String] = [], program: [String] = []) -> WaitCause {
    WaitClassifier.cause(
      of: kernel.map { frame($0, kernel: true) } + user.map { frame($0) }
        + program.map { frame($0, program: true) })
  }

  /// Kernel chains as Linux 6.18 gives them.
  @Test(
    arguments: [
      (["schedule", "futex_wait_queue", "__futex_wait", "do_futex", "__x64_sys_futex"], .lock),
      (["schedule", "do_nanosleep", "hrtimer_nanosleep", "__x64_sys_clock_nanosleep"], .sleep),
      (["io_schedule", "folio_wait_bit", "ext4_sync_file", "do_fsync", "__x64_sys_fsync"], .sync),
      (["io_schedule", "folio_wait_bit", "filemap_read", "vfs_read", "ksys_read"], .file),
      (["schedule_timeout", "sk_wait_data", "tcp_recvmsg_locked", "inet_recvmsg"], .network),
      (["schedule", "anon_pipe_read", "vfs_read", "ksys_read"], .ipc),
      // Another process's signal or its file made these go on, no disk.
      (["__schedule", "schedule", "signalfd_read_iter", "vfs_read", "ksys_read"], .ipc),
      (["schedule_timeout", "wait_woken", "inotify_read", "vfs_read", "ksys_read"], .ipc),
      (["schedule", "evdev_read", "vfs_read", "ksys_read"], .ipc),
      (["schedule", "fuse_dev_do_read.constprop.0", "fuse_dev_read", "vfs_read"], .ipc),
      (["schedule", "locks_lock_inode_wait", "__do_sys_flock", "do_syscall_64"], .lock),
      (["schedule", "fcntl_setlk", "do_fcntl", "__x64_sys_fcntl"], .lock),
      // A file by what it waits for: a page, an inode's lock, a block, a server.
      (["schedule", "rwsem_down_write_slowpath", "down_write", "xyz_write", "vfs_write"], .file),
      (["schedule", "percpu_rwsem_wait", "__percpu_down_read", "vfs_write"], .file),
      (["io_schedule", "bit_wait_io", "__wait_on_bit", "xyz_get_block", "vfs_read"], .file),
      (["schedule", "p9_client_rpc", "p9_client_read", "v9fs_read", "vfs_read"], .file),
      (["schedule", "fuse_simple_request", "fuse_file_read_iter", "vfs_read"], .file),
      (["schedule", "vm_mmap_pgoff", "ksys_mmap_pgoff", "do_syscall_64"], .file),
      // What tells of a wait without the kernel knows the file.
      (["vfs_read"], .file), (["__schedule", "schedule", "vfs_read", "ksys_read"], .file),
      // Chromium's processes talk so to each other: waits for the network, it was said.
      (
        [
          "schedule_timeout", "__skb_wait_for_more_packets", "__unix_dgram_recvmsg", "sock_recvmsg",
        ],
        .ipc
      ),
      (["schedule", "do_wait", "kernel_wait4", "__x64_sys_wait4"], .child),
      (["schedule", "do_epoll_wait", "__x64_sys_epoll_wait"], .eventWait),
      (["io_schedule", "filemap_fault", "handle_mm_fault", "exc_page_fault"], .pageFault),
      (["schedule", "do_signal_stop", "get_signal", "arch_do_signal_or_restart"], .stopped),
      (
        ["schedule", "get_signal", "arch_do_signal_or_restart", "exit_to_user_mode_loop"], .stopped
      ),
      (["schedule", "unheard_of"], .other),
    ] as [([String], WaitCause)])
  func `kernel functions name the cause`(kernel: [String], expected: WaitCause) {
    #expect(cause(kernel: kernel) == expected)
  }

  /// Without the kernel's functions the C library's tell; where neither is known, nothing is.
  @Test(
    arguments: [
      (["clock_nanosleep", "usleep", "pause()"], .sleep), (["__GI___poll", "loop"], .eventWait),
      (["__libc_recv", "fetch"], .network), (["__lll_lock_wait", "pthread_mutex_lock"], .lock),
      (["__wait4", "waitpid"], .child), (["fsync", "save"], .sync), (["__pread64"], .file),
      (["read", "load"], .other), (["syscall", "swift_task_wait"], .unknown), ([], .unknown),
      (["one", "two", "three", "poll"], .unknown),
    ] as [([String], WaitCause)])
  func `the C library's functions name the cause`(user: [String], expected: WaitCause) {
    #expect(cause(kernel: [], user: user) == expected)
  }

  /// The stacks of Foundation of Swift 6.3.1.
  @Test(
    arguments: [
      (["Process.waitUntilExit()", "main"], .child),
      (["RunLoop.run(mode:before:)", "work()", "_dispatch_continuation_pop"], .other),
      (
        [
          "RunLoop.run(until:)", "work()",
          "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__",
        ], .other
      ),
      // A program's life: in its main function, or as an application's last piece of work.
      (["RunLoop.run(mode:before:)", "main"], .eventWait),
      (["RunLoop.run()", "work()", "_dispatch_continuation_pop"], .eventWait),
      (["RunLoop.run(until:)", "main()", "swift_job_run"], .eventWait),
    ] as [([String], WaitCause)])
  func `a run loop within a piece of work is not the program's event loop`(
    outer: [String], expected: WaitCause
  ) {
    let inner = ["ppoll", "__CFRunLoopServiceFileDescriptors", "__CFRunLoopRun"]
    for kernel in [[], ["do_sys_poll", "__x64_sys_ppoll"]] {
      #expect(
        cause(kernel: kernel, user: inner + ["CFRunLoopRunSpecific"] + outer) == expected)
    }
  }

  /// The stacks of SwiftNIO 2.101.2. A server's main function waits so for its channel to close.
  @Test(
    arguments: [
      (["main"], .eventWait), (["work()", "_dispatch_continuation_pop"], .lock),
      (["work()", "swift::runJobInEstablishedExecutorContext", "swift_job_run"], .lock),
    ] as [([String], WaitCause)])
  func `a wait for a future within a piece of work is no idle one`(
    outer: [String], expected: WaitCause
  ) {
    let inner = [
      "__futex_abstimed_wait_common", "pthread_cond_wait", "ConditionLock.lock(whenValue:)",
      "EventLoopFuture._blockingWait(file:line:)", "EventLoopFuture.wait(file:line:)",
    ]
    for kernel in [[], ["futex_wait_queue", "do_futex"]] {
      #expect(cause(kernel: kernel, user: inner + outer) == expected)
    }
  }

  @Test
  func
    `a poll of the program's own is none of an event loop, with and without the kernel's functions`()
  {
    #expect(cause(kernel: [], user: ["poll"], program: ["Client.waitForAnswer()"]) == .other)
    #expect(cause(kernel: [], user: ["epoll_wait"], program: ["main"]) == .eventWait)
  }

  // CPython 3.11 without symbols, whose call site has a function of its own for what it does more than eight times: the
  // first eight waits of a loop were for events, and all the others one hang.
  @Test(arguments: [true, false])
  func `a poll by what has no name, or by a library, is one thing by whatever path`(
    isBuiltIn: Bool
  ) {
    let caller =
      isBuiltIn
      ? frame(nil, in: "python3.11", program: true) : frame(nil, in: "select.so")
    for kernel in [[], ["do_poll", "do_sys_poll", "__x64_sys_poll"]] {
      for outer in [[nil, "_PyEval_EvalFrameDefault"], ["_PyEval_EvalFrameDefault"]] {
        let stack =
          kernel.map { frame($0, kernel: true) } + [frame("poll", in: "libc.so.6"), caller]
          + outer.map { frame($0, in: "python3.11", program: true) }
        #expect(WaitClassifier.cause(of: stack) == .eventWait)
      }
    }
  }

  @Test func `a poll of the program's own is so behind the function that tells of it`() {
    let stack = [
      frame("__poll", in: "libc.so.6"), frame("poll", in: "libLullPreload.so"),
      frame("Client.waitForAnswer()", in: "client", program: true),
    ]
    #expect(WaitClassifier.cause(of: stack) == .other)
  }

  @Test func `an idle worker's futex wait is an event wait, a semaphore's is a lock`() {
    let futex = ["futex_wait_queue", "do_futex"]
    #expect(
      cause(
        kernel: futex,
        user: ["syscall", "_dispatch_semaphore_wait_slow", "_dispatch_worker_thread"])
        == .eventWait)
    #expect(
      cause(
        kernel: futex,
        user: [
          "syscall", "_dispatch_semaphore_wait_slow", "Store.load()", "closure #1 in main",
          "_dispatch_call_block_and_release", "_dispatch_worker_thread",
        ]) == .lock)
  }

  @Test func `a poll is idle in a run loop and blocking in the program's own code`() {
    let poll = ["schedule_hrtimeout_range", "do_poll", "do_sys_poll"]
    #expect(
      cause(kernel: poll, user: ["ppoll", "__CFRunLoopServiceFileDescriptors", "__CFRunLoopRun"])
        == .eventWait)
    #expect(cause(kernel: poll, user: ["poll"], program: ["Client.waitForAnswer()"]) == .other)
    #expect(cause(kernel: poll) == .eventWait)
  }
}
