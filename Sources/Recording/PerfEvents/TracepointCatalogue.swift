extension Tracepoint {
  /// All tracepoints that Lull records, in the order of a trace's attributes.
  static let catalogue: [Tracepoint] = [
    Tracepoint(
      system: "sched", name: "sched_switch", line: .mainThread, isEssential: true,
      lack: "blocking, hangs and turns are not measured", stockPerf: .withStacks,
      uses: [
        // Preemption (state 0, or the bit above the states) is no blocking.
        Use(
          purpose: .mainThread, cost: .whole(.stacks), contents: .stack,
          filter: "prev_state>0&&prev_state<256", isOfPrograms: true)
      ]),
    Tracepoint(
      system: "sched", name: "sched_waking", line: .wakeups, isEssential: true,
      lack: "who wakes the process is not known", stockPerf: .omitted(byOthers),
      uses: [
        Use(
          purpose: .wakeups, reach: .machine(by: .threadField), cost: .frequent, isOfPrograms: true)
      ]),
    Tracepoint(
      system: "sched", name: "sched_wakeup_new", line: .wakeups, lack: "the first of each thread",
      stockPerf: .omitted(byOthers),
      uses: [Use(purpose: .wakeups, reach: .machine(by: .threadField), payload: .newThread)]),
    Tracepoint(
      system: "raw_syscalls", name: "sys_exit", line: .disk, isEssential: true,
      lack: "totals from /proc only; no writes, syncs or files",
      stockPerf: .filtered(SystemCallFilter.expression), uses: systemCallUses),
    Tracepoint(
      system: "syscalls", name: "sys_enter_fsync", line: .disk, lack: "how long fsync takes",
      uses: [Use(purpose: .syncTimes, reach: .cheapest)]),
    Tracepoint(
      system: "syscalls", name: "sys_enter_fdatasync", line: .disk,
      lack: "how long fdatasync takes", uses: [Use(purpose: .syncTimes, reach: .cheapest)]),
    // What is written to files without a system call for each write.
    Tracepoint(
      system: "io_uring", name: "io_uring_submit_req", since: KernelVersion(6, 4), line: .disk,
      lack: "writes by io_uring", stockPerf: .filtered(),
      uses: [
        // IORING_OP_WRITEV, FSYNC, WRITE_FIXED, SYNC_FILE_RANGE, WRITE (linux/io_uring.h).
        Use(
          purpose: .ioUring, reach: .cheapest,
          filter: "opcode==2||opcode==3||opcode==5||opcode==8||opcode==23")
      ]),
    Tracepoint(
      system: "io_uring", name: "io_uring_file_get", since: KernelVersion(5, 5), line: .disk,
      lack: "the files of io_uring",
      uses: [Use(purpose: .ioUring, reach: .cheapest, payload: .descriptor)]),
    Tracepoint(
      system: "io_uring", name: "io_uring_complete", since: KernelVersion(5, 5), line: .disk,
      lack: "the results of io_uring", uses: [Use(purpose: .ioUring, reach: .cheapest)]),
    Tracepoint(
      system: "syscalls", name: "sys_enter_mmap", line: .disk,
      lack: "what is written to mapped files", stockPerf: .filtered(),
      uses: [
        // PROT_WRITE, MAP_SHARED, and a file: the descriptor of anonymous memory is -1.
        Use(
          purpose: .sharedMappings, reach: .cheapest, filter: "prot&2&&flags&1&&fd<2147483648",
          payload: .descriptor)
      ]),
    Tracepoint(
      system: "sock", name: "sock_send_length", since: KernelVersion(6, 3), line: .network,
      isEssential: true,
      lack: "sends and receives are not measured",
      uses: [
        Use(purpose: .network, cost: .whole(.sends), isOfPrograms: true),
        Use(
          variant: .stack, purpose: .callSites, cost: callSite, contents: .stack, isOfPrograms: true
        ),
      ]),
    Tracepoint(
      system: "sock", name: "sock_recv_length", since: KernelVersion(6, 3), line: .network,
      isEssential: true,
      lack: "sends and receives are not measured",
      uses: [Use(purpose: .network, cost: .whole(.receives), isOfPrograms: true)]),
    Tracepoint(
      system: "sock", name: "inet_sock_set_state", since: KernelVersion(4, 16), line: .network,
      lack: "opening and closing",
      uses: [Use(purpose: .connections, reach: .machine(by: .socket))]),
    Tracepoint(
      system: "signal", name: "signal_generate", line: .mainThread,
      lack: "what asked the process to end", stockPerf: .omitted(byOthers),
      uses: [Use(purpose: .lifecycle, reach: .machine(by: .threadField))]),
    Tracepoint(
      system: "sched", name: "sched_process_exec", line: .mainThread,
      lack: "programs that end within a millisecond",
      stockPerf: .omitted("perf records COMM and MMAP of each program by itself"),
      uses: [
        // A program that ends within a millisecond is looked at in /proc only if that is done at once.
        Use(purpose: .processes, reach: .machine(by: .maker), wakesAtOnce: true)
      ]),
  ]

  private static let byOthers =
    "others do it, so that events of the target have little of it, and those of the machine too much"

  private static var systemCallUses: [Use] {
    [
      // The ends of event waits, recorded only while stacks are sampled: waits without a stack are told by them.
      Use(
        variant: .wait, purpose: .mainThread, cost: .whole(.eventWaits),
        filter: SystemCallFilter.eventWaitsExpression, isOfPrograms: true),
      Use(
        purpose: .disk, cost: .whole(.systemCalls), contents: .arguments,
        filter: SystemCallFilter.expression, payload: .systemCall, isOfPrograms: true),
      Use(
        variant: .stack, purpose: .callSites, cost: callSite, contents: .stack,
        filter: SystemCallFilter.writesExpression, isOfPrograms: true),
    ]
      + [SystemCallFilter.spins].compactMap { filter in
        // Calls that come back at once with nothing; a program that spins is sampled at once.
        filter.map {
          Use(
            variant: .spin, purpose: .spinWaits, cost: .whole(.spins), contents: .arguments,
            filter: $0, isOfPrograms: true)
        }
      }
  }

  /// Stacks of writes and sends a second, of each thread; a thousand equal ones cost one now and then.
  ///
  /// The kernel adapts the period to it (`freq` of perf_event_attr): the first of a thread is always taken.
  private static let callSite = EventSpec.Cost.paced(perSecond: 49)
}
