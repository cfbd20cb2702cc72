import Quantities
import Testing

@testable import Signals
@testable import TraceModel

/// System calls by function, of a trace whose every figure is known.
@Suite struct `System calls by function` {
  /// `load()` waits twice for a futex and once in a read of a socket, `store()` writes three times, waits once in the
  /// second, and once for a page, which is no call.
  private static func trace() -> Trace {
    var stacks = StackTable()
    func frame(_ function: String, isKernel: Bool = false, line: Int? = nil) -> Int32 {
      stacks.intern(
        Frame(
          function: function, module: isKernel ? "[kernel]" : "/app", moduleOffset: 0,
          file: line.map { _ in "/src/App.swift" }, line: line, isKernel: isKernel,
          isProgram: !isKernel))
    }
    func stack(_ kernel: [String], _ function: String, line: Int) -> Int {
      stacks.intern(
        stack: kernel.map { frame($0, isKernel: true) }
          + [frame(function, line: line), frame("main", line: 1)])
    }
    let futex = ["futex_wait", "do_futex", "__x64_sys_futex", "do_syscall_64"]
    let first = stack(futex, "load()", line: 10)
    let second = stack(futex, "load()", line: 12)
    let socket = stack(
      ["tcp_recvmsg", "sock_read_iter", "ksys_read", "do_syscall_64"], "load()", line: 14)
    let file = stack(
      ["io_schedule", "ext4_file_write_iter", "__x64_sys_pwrite64"], "store()", line: 20)
    let page = stack(["io_schedule", "exc_page_fault"], "store()", line: 21)
    func time(_ milliseconds: UInt64) -> Timestamp {
      Timestamp(nanoseconds: milliseconds * 1_000_000)
    }
    func wait(_ from: UInt64, _ to: UInt64, _ stack: Int?, _ cause: WaitCause) -> ThreadInterval {
      ThreadInterval(start: time(from), end: time(to), state: .blocked(cause), stack: stack)
    }
    let intervals = [
      wait(0, 100, first, .lock), wait(100, 400, second, .lock), wait(400, 450, socket, .network),
      wait(450, 470, file, .file), wait(470, 500, page, .pageFault), wait(500, 510, nil, .lock),
    ]
    func operation(
      _ at: UInt64, _ kind: FileOperation.Kind, _ path: String, stack: Int?
    ) -> FileOperation {
      FileOperation(
        time: time(at), pid: 7, tid: 7, kind: kind, path: path, target: .regular, bytes: 10,
        weight: 1, stack: stack)
    }
    func write(_ at: UInt64) -> FileOperation { operation(at, .write, "/data", stack: file) }
    let subject = ProcessModel(
      pid: 7, parentPid: 1, name: "app", executable: "/app", commandLine: [], isSwift: true,
      start: time(0), threadCount: 1, children: [])
    return Trace(
      metadata: TraceMetadata(
        path: "", durationSeconds: 0.51, cpuCount: 1, lostEvents: 0, lostSamples: 0, throttled: 0,
        truncated: false, unknownRecords: 0, undecodable: [:]),
      start: time(0), end: time(510),
      tables: Tables(
        processes: [subject],
        threads: [
          ThreadModel(tid: 7, pid: 7, name: "app", start: time(0), intervals: .init(intervals))
        ],
        fileOperations: [
          write(440), write(450), write(475), operation(480, .sync, "/elsewhere", stack: nil),
        ]),
      stacks: stacks, subject: subject)
  }

  @Test func `waits are told by call, counts where each call was recorded`() throws {
    let subject = SubjectView(Self.trace())
    let calls = BlameMeasure(subject, priors: EnergyPriors()).tables(network: nil).calls
    #expect(calls.map(\.call) == ["futex", "receive", "write", "sync"])
    #expect(calls.map(\.function) == ["load()", "load()", "store()", "[no stack]"])
    #expect(calls.map(\.waits) == [2, 1, 1, 0])
    #expect(calls.map(\.calls) == [nil, nil, 3, 1])
    #expect(zip(calls, [0.4, 0.05, 0.02, 0]).allSatisfy { abs($0.seconds - $1) < 1e-9 })
    // The line that waited longest.
    #expect(calls.first?.line == 12)
  }

  @Test func `calls have the kernel's names, else the C library's`() {
    func name(_ kernel: [String], _ user: [String]) -> String? {
      WaitingCall.name(
        of: (kernel.map { ($0, true) } + user.map { ($0, false) }).map { function, isKernel in
          Frame(
            function: function, module: "", moduleOffset: 0, file: nil, line: nil,
            isKernel: isKernel, isProgram: false)
        })
    }
    #expect(name(["ep_poll", "__arm64_sys_epoll_pwait", "el0_svc"], []) == "epoll_pwait")
    #expect(name(["schedule", "exc_page_fault"], ["memcpy"]) == nil)
    #expect(name([], ["__GI___clock_nanosleep", "usleep", "work()"]) == "clock_nanosleep")
    #expect(name([], ["work()", "main"]) == nil)
    // Within the process one function stands for the kernel's.
    #expect(name(["futex_wait"], ["pthread_mutex_lock", "work()"]) == "pthread_mutex_lock")
    #expect(name(["off_cpu_out_of_calls"], ["pthread_mutex_lock", "work()"]) == nil)
  }

  @Test func `what stands for no function is not shown as one`() {
    let frame = Frame(
      function: "off_cpu_out_of_calls", module: "", moduleOffset: 0, file: nil, line: nil,
      isKernel: true, isProgram: false)
    #expect(frame.displayName == "[outside of calls]")
  }
}
