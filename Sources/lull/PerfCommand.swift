/// The command line of stock perf that records what Lull wants.
enum PerfCommand {
  /// What the main thread, the wakeups, network, disk and CPU are measured from.
  ///
  /// Scheduler events of all CPUs tell who woke whom. The register set lets a system call's descriptor be read at its exit
  /// (`perf record --user-regs`, rdi, rsi, rdx and r10 on x86-64).
  static var line: String {
    #if arch(arm64)
      let registers = "x0,x1,x2,x3"
    #else
      let registers = "di,si,dx,r10"
    #endif
    let events = [
      "sched:sched_switch/call-graph=fp/", "sched:sched_waking", "sched:sched_wakeup_new",
      "raw_syscalls:sys_exit", "syscalls:sys_enter_fsync", "syscalls:sys_enter_fdatasync",
      "sock:sock_send_length", "sock:sock_recv_length", "sock:inet_sock_set_state",
      "signal:signal_generate",
    ]
    return "perf record -a -k CLOCK_MONOTONIC -m 4M --user-regs=\(registers) -o trace.perf.data "
      + events.map { "-e \($0)" }.joined(separator: " ")
      + " -e 'cpu-clock/call-graph=fp,freq=99/' -- COMMAND"
  }
}
