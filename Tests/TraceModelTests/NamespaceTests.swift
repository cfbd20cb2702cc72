import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

/// Recordings from PID namespaces, where tracepoints' fields name threads by other ids than samples and records do.
struct NamespaceTests {
  /// What a trace says of its threads, in words.
  private static func told(_ trace: Trace) -> [String] {
    trace.threads.map { thread in
      "\(thread.pid)/\(thread.tid) \(thread.name): "
        + thread.intervals.map { "\($0.state) \($0.length.nanoseconds) by \($0.waker ?? -7)" }
        .joined(separator: ", ")
    }
      + trace.wakeups.map {
        "\($0.time.nanoseconds) \($0.tid) by \($0.wakerPid)/\($0.waker), \($0.context) \($0.cpuWasIdle)"
      }
      + trace.signals.map { "\($0.number) to \($0.pid)" }
  }

  /// How a trace's records tell of switches and of ids.
  enum Recorder: CaseIterable {
    /// sched_switch and SWITCH records, and the recorder's own list of ids.
    case lull
    /// sched_switch alone.
    case perf
  }

  private static func trace(_ recorder: Recorder, offset: Int32) throws -> Trace {
    try traceOf { builder in
      builder.namespaceOffset = offset
      if recorder == .lull, offset != 0 {
        let ids = [Int32(100), 101].map { ThreadIDsEvent.Thread(tid: $0, kernelTid: $0 + offset) }
        try builder.synthetic(ThreadIDsEvent(threads: []), time: second, pid: 100)
        try builder.synthetic(ThreadIDsEvent(threads: ids), time: second, pid: 100)
      }
      var now = second + millisecond
      func run(_ tid: Int32, woken waker: Int32, _ context: TraceBuilder.WakeContext) {
        builder.waking(time: now, by: waker, of: tid, context: context)
        now += millisecond
        builder.switchTask(time: now, from: 0, to: tid, prevState: 0)
        if recorder == .lull { builder.contextSwitch(time: now, tid, .arrived) }
        now += 3 * millisecond
        builder.exitSyscall(time: now, tid: tid, number: 1, result: 8, arguments: [1, 0, 8])
        now += 3 * millisecond
        builder.switchOut(time: now, tid)
        if recorder == .lull { builder.contextSwitch(time: now, tid, .left) }
        now += 20 * millisecond
      }
      run(100, woken: 0, .hardInterrupt)
      builder.fork(time: now, pid: 100, tid: 101, parentPid: 100)
      builder.wakeupNew(time: now + 1, by: 100, of: 101)
      run(101, woken: 100, .task)
      run(100, woken: 101, .task)
      run(101, woken: 0, .softInterrupt)
      builder.signal(time: now, number: 15, to: 100, by: 101)
      run(100, woken: 0, .hardInterrupt)
    }
  }

  @Test(arguments: Recorder.allCases, [Int32(20_000), 1])
  func `all is told as in the initial namespace`(recorder: Recorder, offset: Int32) throws {
    let told = Self.told(try Self.trace(recorder, offset: offset))
    #expect(told == Self.told(try Self.trace(recorder, offset: 0)))
    #expect(told.contains("15 to 100") && told.count > 7)
  }

  @Test func `an interrupt in a thread outside found no idle CPU`() throws {
    func wakeup(maker: Int64) throws -> Wakeup {
      let trace = try traceOf { builder in
        let raw = BuiltTracepoint.schedWaking.payload(
          ["common_pid": maker, "pid": 5_100], flags: 0x08)
        // As the kernel writes both the idle task and who is outside.
        builder.sample(
          BuiltTracepoint.schedWaking.rawValue, time: second + 2, tid: 0, pid: 0, raw: raw)
        builder.namespaceOffset = 5_000
        builder.switchIn(time: second + 3, 100)
        builder.switchOut(time: second + 4, 100)
      }
      return try #require(trace.wakeups.map { $0 }.first)
    }
    #expect(try wakeup(maker: 0).cpuWasIdle)
    let outside = try wakeup(maker: 77)
    #expect(!outside.cpuWasIdle && outside.isIdleWakeup && outside.waker == -1)
  }

  @Test func `an id that the kernel gives again is another thread's`() throws {
    var ids = KernelThreadIDs()
    #expect(ids.isEmpty)
    func time(_ nanoseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }
    ids.learn(7, is: 900, at: time(50))
    ids.learn(7, is: 900, at: time(60))
    ids.learn(8, is: 900, at: time(100))
    ids.learn(9, is: 900, at: time(200))
    #expect(
      [0, 99, 100, 199, 200, 999].map { ids.tid(of: 900, at: time($0)) } == [7, 7, 8, 8, 9, 9])
    #expect(ids.tid(of: 7, at: time(60)) == -1)
    #expect(ids.tid(of: 0, at: time(60)) == 0)
  }

  @Test func `a foreign id that is a thread's own here is not taken for it`() throws {
    // The kernel's thread 101 is outside; the namespace's 101 sleeps all the time.
    let trace = try traceOf { builder in
      builder.fork(time: second, pid: 100, tid: 101, parentPid: 100)
      builder.namespaceOffset = 5_000
      builder.switchIn(time: second + millisecond, 100)
      let raw = BuiltTracepoint.schedSwitch.payload(
        ["common_pid": 5_100, "prev_pid": 5_100, "prev_state": 1, "next_pid": 101])
      builder.namespaceOffset = 0
      builder.sample(
        BuiltTracepoint.schedSwitch.rawValue, time: second + 2 * millisecond, tid: 100, raw: raw)
      builder.namespaceOffset = 5_000
      builder.switchIn(time: second + 9 * millisecond, 100)
      builder.switchOut(time: second + 10 * millisecond, 100)
    }
    let thread = try #require(trace.threads.first { $0.tid == 101 })
    #expect(thread.runningTime == .zero)
    #expect(trace.threads.first { $0.tid == 100 }?.runningTime.nanoseconds == 2_000_000)
  }

  @Test func `wakes that an older recorder took for other threads' are not measured`() throws {
    var builder = TraceBuilder()
    try builder.capture(time: second, rootPid: 100)
    try builder.process(time: second, pid: 100)
    builder.comm(time: second, pid: 100, tid: 100, name: "program")
    builder.namespaceOffset = 5_000
    builder.switchIn(time: second + millisecond, 100)
    builder.switchOut(time: second + 2 * millisecond, 100)
    let attributes = builder.attributes.filter { $0.name != SyntheticEvent.threadIDs.rawValue }
    let bytes = PerfDataWriter.file(
      attributes: attributes, records: builder.records, features: builder.features)
    let trace = try CaptureBuilder.withFile(bytes) { try Trace.load(path: $0) }
    #expect(!trace.eventNames.contains("sched:sched_waking"))
    #expect(trace.capture?.unavailable.map(\.signal) == ["wakeups"])
    #expect(trace.threads.first { $0.tid == 100 }?.runningTime.nanoseconds == 1_000_000)
  }

  @Test func `processes outside are not taken for one`() throws {
    let trace = try traceOf { builder in
      builder.comm(time: second, pid: 0, tid: 0, name: "program", isExec: true)
      builder.fork(time: second + 1, pid: 0, tid: 0, parentPid: 0)
      builder.mmap(time: second + 2, pid: 0, start: 0x1000, length: 0x1000, path: "/bin/other")
      builder.namespaceOffset = 5_000
      builder.switchIn(time: second + millisecond, 100)
      builder.switchOut(time: second + 2 * millisecond, 100)
      builder.exit(time: second + 3 * millisecond, pid: 0, tid: 0, parentPid: 0)
    }
    #expect(trace.processes.map(\.pid) == [100] && trace.threads.map(\.tid) == [100])
  }

  @Test func `the text of perf script is read with both ids`() throws {
    func line(_ maker: String, _ time: String, _ from: (String, Int), _ to: (String, Int)) -> String
    {
      "\(maker) [000] \(time): 1 sched:sched_switch: prev_comm=\(from.0) prev_pid=\(from.1) prev_prio=120"
        + " prev_state=S ==> next_comm=\(to.0) next_pid=\(to.1) next_prio=120\n"
    }
    let (idle, program, other) = (("swapper/0", 0), ("prog", 5_007), ("kworker/0:1", 7))
    let text =
      line("prog 7/7", "1.000100", program, other)
      + line("kworker/0:1 0/0", "1.000200", other, idle)
      + "swapper 0/0 [000] 1.010000: 1 sched:sched_waking: comm=prog pid=5007 prio=120 target_cpu=000\n"
      + line("swapper 0/0", "1.010100", idle, program)
      + line("prog 7/7", "1.015100", program, other)
    let trace = try CaptureBuilder.withFile(Array(text.utf8)) { path in
      try Trace.load(path: path, options: TraceOptions(process: "prog"))
    }
    let thread = try #require(trace.threads.first { $0.tid == 7 })
    #expect(thread.name == "prog" && thread.runningTime.nanoseconds == 5_000_000)
    #expect(trace.wakeups.map(\.tid) == [7])
  }
}
