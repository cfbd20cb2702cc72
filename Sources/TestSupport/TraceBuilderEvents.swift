import PerfData

extension TraceBuilder {
  /// A CPU goes from thread `from` to thread `to`; thread 0 is the idle task.
  ///
  /// `prevState` 0 is a preemption, 1 an interruptible sleep, 2 an uninterruptible one.
  package mutating func switchTask(
    time: UInt64, from: Int32, to: Int32, prevState: Int64 = 1, cpu: Int32 = 0,
    fromName: String = "", toName: String = ""
  ) {
    let raw = BuiltTracepoint.schedSwitch.payload(
      [
        "common_pid": Int64(from), "prev_pid": Int64(from), "prev_prio": 120,
        "prev_state": prevState, "next_pid": Int64(to), "next_prio": 120,
      ], texts: ["prev_comm": fromName, "next_comm": toName])
    sample(BuiltTracepoint.schedSwitch.rawValue, time: time, tid: from, cpu: cpu, raw: raw)
  }

  /// A thread leaves its CPU to the idle task (or to `to`).
  package mutating func switchOut(
    time: UInt64, _ tid: Int32, to: Int32 = 0, prevState: Int64 = 1, cpu: Int32 = 0
  ) {
    switchTask(time: time, from: tid, to: to, prevState: prevState, cpu: cpu)
  }

  /// A thread gets a CPU from the idle task (or from `from`).
  package mutating func switchIn(
    time: UInt64, _ tid: Int32, from: Int32 = 0, prevState: Int64 = 0, cpu: Int32 = 0
  ) {
    switchTask(time: time, from: from, to: tid, prevState: prevState, cpu: cpu)
  }

  /// A thread is woken by another, or by an interrupt that came while `by` had the CPU.
  package mutating func waking(
    time: UInt64, by waker: Int32, of tid: Int32, context: WakeContext = .task, cpu: Int32 = 0,
    targetCPU: Int32 = 0
  ) {
    let raw = BuiltTracepoint.schedWaking.payload(
      [
        "common_pid": Int64(waker), "pid": Int64(tid), "prio": 120,
        "target_cpu": Int64(targetCPU),
      ], flags: context.rawValue)
    sample(BuiltTracepoint.schedWaking.rawValue, time: time, tid: waker, cpu: cpu, raw: raw)
  }

  /// A new thread is made runnable.
  package mutating func wakeupNew(time: UInt64, by waker: Int32, of tid: Int32, cpu: Int32 = 0) {
    let raw = BuiltTracepoint.schedWakeupNew.payload(
      ["common_pid": Int64(waker), "pid": Int64(tid), "prio": 120])
    sample(BuiltTracepoint.schedWakeupNew.rawValue, time: time, tid: waker, cpu: cpu, raw: raw)
  }

  /// A thread's stack as it goes to sleep.
  ///
  /// `registers` are BP, SP and IP.
  package mutating func blockedStack(
    time: UInt64, _ tid: Int32, callchain: [UInt64] = [], registers: [UInt64] = [],
    stack: [UInt8] = [], prevState: Int64 = 1, cpu: Int32 = 0
  ) {
    let raw = BuiltTracepoint.schedSwitchStack.payload(
      ["common_pid": Int64(tid), "prev_pid": Int64(tid), "prev_state": prevState])
    sample(
      BuiltTracepoint.schedSwitchStack.rawValue, time: time, tid: tid, cpu: cpu,
      callchain: callchain, raw: raw, userRegisters: registers, userStack: stack)
  }

  /// A sample of a running thread.
  package mutating func processorSample(
    time: UInt64, _ tid: Int32, callchain: [UInt64] = [], registers: [UInt64] = [],
    stack: [UInt8] = [], period: UInt64 = 10_309_278, cpu: Int32 = 0
  ) {
    sample(
      "cpu-clock", time: time, tid: tid, cpu: cpu, period: period, callchain: callchain,
      userRegisters: registers, userStack: stack)
  }

  /// A system call returns; `arguments` are the first, second, third and fourth as far as given.
  package mutating func exitSyscall(
    time: UInt64, tid: Int32, number: Int, result: Int, arguments: [UInt64] = [],
    period: UInt64 = 1, cpu: Int32 = 0, as event: BuiltTracepoint = .sysExit
  ) {
    let raw = event.payload(
      ["common_pid": Int64(tid), "id": Int64(number), "ret": Int64(result)])
    func argument(_ index: Int) -> UInt64 { index < arguments.count ? arguments[index] : 0 }
    // The record has them by register number: DX, SI, DI, R10.
    let registers = [argument(2), argument(1), argument(0), argument(3)]
    sample(
      event.rawValue, time: time, tid: tid, cpu: cpu, period: period, raw: raw,
      userRegisters: registers)
  }

  /// fsync (or fdatasync) begins.
  package mutating func enterSync(time: UInt64, tid: Int32, fd: Int, dataOnly: Bool = false) {
    let event: BuiltTracepoint = dataOnly ? .enterFdatasync : .enterFsync
    let raw = event.payload(
      ["common_pid": Int64(tid), "__syscall_nr": dataOnly ? 75 : 74, "fd": Int64(fd)])
    sample(event.rawValue, time: time, tid: tid, raw: raw)
  }

  /// Bytes go out by a socket; family 2 is IPv4, protocol 6 is TCP.
  package mutating func send(
    time: UInt64, tid: Int32, socket: UInt64, bytes: Int, family: Int = 2, protocol: Int = 6,
    period: UInt64 = 1
  ) {
    transfer(.socketSend, time, tid, socket, bytes, family, `protocol`, 0, period)
  }

  /// Bytes come in by a socket; flags 2 (MSG_PEEK) leaves them there.
  package mutating func receive(
    time: UInt64, tid: Int32, socket: UInt64, bytes: Int, family: Int = 2, protocol: Int = 6,
    flags: Int = 0, period: UInt64 = 1
  ) {
    transfer(.socketReceive, time, tid, socket, bytes, family, `protocol`, flags, period)
  }

  private mutating func transfer(
    _ event: BuiltTracepoint, _ time: UInt64, _ tid: Int32, _ socket: UInt64, _ bytes: Int,
    _ family: Int, _ proto: Int, _ flags: Int, _ period: UInt64
  ) {
    let raw = event.payload([
      "common_pid": Int64(tid), "sk": Int64(bitPattern: socket), "family": Int64(family),
      "protocol": Int64(proto), "ret": Int64(bytes), "flags": Int64(flags),
    ])
    sample(event.rawValue, time: time, tid: tid, period: period, raw: raw)
  }

  /// A TCP socket changes its state: 1 established, 2 SYN sent, 7 closed, 10 listening, ….
  ///
  /// Addresses are 4 bytes (IPv4) or 16 (IPv6).
  package mutating func socketState(
    time: UInt64, tid: Int32, socket: UInt64, from: Int, to: Int,
    local: [UInt8] = [192, 0, 2, 1], localPort: Int = 40000,
    remote: [UInt8] = [198, 51, 100, 7], remotePort: Int = 443, cpu: Int32 = 0
  ) {
    let suffix = remote.count == 16 ? "_v6" : ""
    let raw = BuiltTracepoint.socketState.payload(
      [
        "common_pid": Int64(tid), "skaddr": Int64(bitPattern: socket), "oldstate": Int64(from),
        "newstate": Int64(to), "sport": Int64(localPort), "dport": Int64(remotePort),
        "family": remote.count == 16 ? 10 : 2, "protocol": 6,
      ], bytes: ["saddr" + suffix: local, "daddr" + suffix: remote])
    sample(BuiltTracepoint.socketState.rawValue, time: time, tid: tid, cpu: cpu, raw: raw)
  }

  /// A UDP socket is found to be connected.
  package mutating func datagramState(
    time: UInt64, tid: Int32, socket: UInt64, remote: [UInt8], remotePort: Int = 53
  ) {
    let raw = BuiltTracepoint.socketState.payload(
      [
        "common_pid": Int64(tid), "skaddr": Int64(bitPattern: socket), "oldstate": 1,
        "newstate": 1, "sport": 40000, "dport": Int64(remotePort), "family": 2, "protocol": 17,
      ], bytes: ["saddr": [192, 0, 2, 1], "daddr": remote])
    sample(BuiltTracepoint.socketState.rawValue, time: time, tid: tid, raw: raw)
  }

  /// A signal is sent to a process.
  package mutating func signal(
    time: UInt64, number: Int, to pid: Int32, by tid: Int32 = 1, code: Int = 0
  ) {
    let raw = BuiltTracepoint.signal.payload([
      "common_pid": Int64(tid), "sig": Int64(number), "code": Int64(code), "pid": Int64(pid),
      "group": 1,
    ])
    sample(BuiltTracepoint.signal.rawValue, time: time, tid: tid, raw: raw)
  }

  /// A file is opened: the probes on open's call and return.
  package mutating func open(
    time: UInt64, returning returned: UInt64? = nil, tid: Int32, path: String, fd: Int,
    flags: Int = 0
  ) {
    let call = BuiltTracepoint.open.payload(
      ["common_pid": Int64(tid), "flags": Int64(flags)], texts: ["path": path])
    sample(BuiltTracepoint.open.rawValue, time: time, tid: tid, raw: call)
    let result = BuiltTracepoint.opened.payload(["common_pid": Int64(tid), "fd": Int64(fd)])
    sample(
      BuiltTracepoint.opened.rawValue, time: returned ?? time + 1000, tid: tid, raw: result)
  }

  /// A file is renamed: the probe on the call.
  package mutating func rename(time: UInt64, tid: Int32, from: String, to: String) {
    let raw = BuiltTracepoint.rename.payload(
      ["common_pid": Int64(tid)], texts: ["old": from, "new": to])
    sample(BuiltTracepoint.rename.rawValue, time: time, tid: tid, raw: raw)
  }

  /// A file is removed: the probe on the call.
  package mutating func unlink(time: UInt64, tid: Int32, path: String) {
    let raw = BuiltTracepoint.unlink.payload(["common_pid": Int64(tid)], texts: ["path": path])
    sample(BuiltTracepoint.unlink.rawValue, time: time, tid: tid, raw: raw)
  }

  /// A task's job runs: the probes on the runtime's call and return. The trace must be one with jobs.
  package mutating func job(
    time: UInt64, until end: UInt64, tid: Int32, job: Int64, resume: UInt64, caller: UInt64
  ) {
    let call = BuiltTracepoint.jobRun.payload([
      "common_pid": Int64(tid), "job": job, "resume": Int64(bitPattern: resume),
      "caller": Int64(bitPattern: caller),
    ])
    sample(BuiltTracepoint.jobRun.rawValue, time: time, tid: tid, raw: call)
    let result = BuiltTracepoint.jobRan.payload(["common_pid": Int64(tid)])
    sample(BuiltTracepoint.jobRan.rawValue, time: end, tid: tid, raw: result)
  }
}
