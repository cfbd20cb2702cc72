import PerfData

/// What the recorder asks the kernel for, in the order of the trace's attributes.
struct EventPlan {
  var specs: [EventSpec] = []
  /// What this machine does not have, with the reason.
  var unavailable: [CaptureEvent.Unavailable] = []

  /// One of so many events is recorded of a source that is sampled; a prime, so that it does not
  /// fall in step with a program that does the same few things in turn.
  static let samplingPeriod: UInt64 = 251

  /// Stacks of writes and sends a second, of each thread; a thousand equal ones cost one now and then.
  ///
  /// The kernel adapts the period to it (`freq` of perf_event_attr): the first of a thread is always taken.
  static let callSiteFrequency: UInt64 = 49

  #if arch(arm64)
    /// All of x0…x30, sp, pc.
    static let stackRegisters: UInt64 = 0x1_ffff_ffff
    /// x0…x3: the first is the result at exit, where the others still are arguments.
    static let argumentRegisters: UInt64 = 0xf
  #else
    /// All general registers, the instruction pointer, flags, cs and ss.
    static let stackRegisters: UInt64 = 0xff_0fff
    /// rdx, rsi, rdi and r10, which still hold the arguments when a system call returns.
    static let argumentRegisters: UInt64 = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 18
  #endif

  private let tracefs: TraceFS?

  init(
    tracefs: TraceFS?, options: RecordingOptions, countsTransfers: Bool = false,
    uprobes: [UprobeSet.Probe]
  ) {
    self.tracefs = tracefs
    addDummy(options)
    addBlockingSwitches(options)
    if options.scope == .system {
      addWakeups()
    } else {
      unavailable.append(
        .init(signal: "wakeups", reason: "the scope is the process: who woke it is not recorded"))
    }
    addSystemCalls(options)
    addFilesOtherwiseWritten(options)
    addSockets(options)
    addSignals(options)
    addClock(options)
    for probe in uprobes {
      let isRuntime = probe.name.hasPrefix("swift_")
      let isTests = probe.name.hasPrefix("fwrite") || probe.name.hasPrefix("fputs")
      var spec = EventSpec(
        name: "\(probe.system):\(probe.name)", type: EventSpec.tracepoint, config: probe.id,
        fields: [.base, .raw],
        signal: isRuntime ? EventSpec.concurrency : isTests ? "tests" : EventSpec.fileNames,
        format: probe.format, system: probe.system)
      if isTests { spec.filter = TestHost.filter }
      if probe.name == "swift_job_run" { spec.role = .full(.jobs) }
      if !isRuntime, !isTests { spec.season = .calm }
      specs.append(spec)
    }
    specs.removeAll { options.excludedEvents.contains($0.name) }
    if options.adaptsToRates {
      chooseSliced()
      if options.scope == .system { addStandIns(countsTransfers) }
    }
  }

  /// For each event of the task one of the machine; see `StandIns`.
  private mutating func addStandIns(_ countsTransfers: Bool) {
    guard StandIns.arePossible(countsTransfers: countsTransfers, among: specs) else { return }
    for index in specs.indices
    where specs[index].reach == .task && specs[index].season == .always && !specs[index].isProbe {
      specs[index].season = .beforeStandIns
      var spec = specs[index]
      spec.reach = .system
      spec.keep = .maker
      spec.season = .standIn
      spec.startsDisabled = true
      spec.standsInFor = index
      specs.append(spec)
    }
  }

  /// What comes with each request or wait of a busy program; what is rare goes on being recorded.
  private mutating func chooseSliced() {
    for index in specs.indices where specs[index].type == EventSpec.tracepoint {
      switch specs[index].role {
      // A transfer in a hundred milliseconds is what the radio's model asks for: sampled, they are told all the time.
      case .full(.jobs), .full(.eventWaits), .full(.sends), .full(.receives), .sampled(.sends),
        .sampled(.receives):
        break
      case .full, .sampled: specs[index].isSliced = true
      case .plain:
        specs[index].isSliced =
          specs[index].signal == EventSpec.callSites || specs[index].name == "sched:sched_waking"
      }
    }
  }

  private mutating func addDummy(_ options: RecordingOptions) {
    typealias Flag = EventSpec.Flag
    // Its SWITCH records are the truth about when a thread ran: the tracepoint
    // sched_switch fires in the thread that goes, and some kernels drop it in some threads.
    specs.append(
      EventSpec(
        // It has no samples; perf script shows symbols only if the first software event has IP.
        name: "dummy:HG", type: EventSpec.software, config: EventSpec.dummy,
        fields: [.base, .instructionPointer],
        flags: Flag.mmap | Flag.comm | Flag.task | Flag.mmap2 | Flag.commExec | Flag.buildID
          | Flag.contextSwitch,
        signal: "processes"))
  }

  private mutating func addWakeups() {
    add("sched", "sched_waking", signal: "wakeups") {
      $0.reach = .system
      $0.keep = .threadField
    }
    add("sched", "sched_wakeup_new", signal: "wakeups") {
      $0.reach = .system
      $0.keep = .threadField
    }
  }

  private mutating func addBlockingSwitches(_ options: RecordingOptions) {
    func configure(_ spec: inout EventSpec) {
      spec.fields = [.base, .callchain, .raw, .userRegisters, .userStack]
      spec.registers = Self.stackRegisters
      spec.stackBytes = options.stackBytes
      // Preemption (state 0, or the bit above the states) is no blocking.
      spec.filter = "prev_state>0&&prev_state<256"
      spec.role = .full(.stacks)
    }
    add("sched", "sched_switch", signal: "mainThread") { configure(&$0) }
    guard options.adaptsToRates else { return }
    add("sched", "sched_switch", signal: "mainThread") {
      configure(&$0)
      $0.period = Self.samplingPeriod
      $0.role = .sampled(.stacks)
      $0.startsDisabled = true
    }
    addEventWaits()
  }

  /// The ends of event waits, recorded only while stacks are sampled: waits without a stack are told by them.
  private mutating func addEventWaits() {
    add("raw_syscalls", "sys_exit", signal: "mainThread") {
      $0.name = "raw_syscalls:sys_exit/wait/"
      $0.filter = SystemCallFilter.eventWaitsExpression
      $0.role = .full(.eventWaits)
      $0.startsDisabled = true
    }
  }

  private mutating func addSystemCalls(_ options: RecordingOptions) {
    addAdaptive("raw_syscalls", "sys_exit", .systemCalls, signal: "disk", options) {
      $0.fields = [.base, .raw, .userRegisters]
      $0.registers = Self.argumentRegisters
      $0.filter = SystemCallFilter.expression
    }
    add("raw_syscalls", "sys_exit", signal: EventSpec.callSites) {
      Self.configureCallSite(&$0, options)
      $0.filter = SystemCallFilter.writesExpression
    }
    addSpins(options)
    for name in ["sys_enter_fsync", "sys_enter_fdatasync"] {
      add("syscalls", name, signal: "sync times") {
        // Syncs are rare, and an event of the task would cost at every switch.
        if options.scope == .system {
          $0.reach = .system
          $0.keep = .maker
        }
      }
    }
  }

  /// What is written to files without a system call for each write.
  private mutating func addFilesOtherwiseWritten(_ options: RecordingOptions) {
    func ofMachine(_ spec: inout EventSpec) {
      guard options.scope == .system else { return }
      // These are rare, and an event of the task would cost at every switch.
      spec.reach = .system
      spec.keep = .maker
    }
    add("io_uring", "io_uring_submit_req", signal: "io_uring") {
      ofMachine(&$0)
      // IORING_OP_WRITEV, FSYNC, WRITE_FIXED, SYNC_FILE_RANGE, WRITE (linux/io_uring.h).
      $0.filter = "opcode==2||opcode==3||opcode==5||opcode==8||opcode==23"
    }
    add("io_uring", "io_uring_file_get", signal: "io_uring") { ofMachine(&$0) }
    add("io_uring", "io_uring_complete", signal: "io_uring") { ofMachine(&$0) }
    add("syscalls", "sys_enter_mmap", signal: "shared mappings") {
      ofMachine(&$0)
      // PROT_WRITE, MAP_SHARED, and a file: the descriptor of anonymous memory is -1.
      $0.filter = "prot&2&&flags&1&&fd<2147483648"
    }
  }

  /// Calls that come back at once with nothing; a program that spins is sampled at once.
  private mutating func addSpins(_ options: RecordingOptions) {
    guard let filter = SystemCallFilter.spins, options.adaptsToRates else { return }
    for isSampled in [false, true] {
      add("raw_syscalls", "sys_exit", signal: "spin waits") {
        $0.name = "raw_syscalls:sys_exit/spin/"
        $0.fields = [.base, .raw, .userRegisters]
        $0.registers = Self.argumentRegisters
        $0.filter = filter
        $0.role = isSampled ? .sampled(.spins) : .full(.spins)
        $0.startsDisabled = isSampled
        if isSampled { $0.period = Self.samplingPeriod }
      }
    }
  }

  private mutating func addSockets(_ options: RecordingOptions) {
    addAdaptive("sock", "sock_send_length", .sends, signal: "network", options) { _ in }
    addAdaptive("sock", "sock_recv_length", .receives, signal: "network", options) { _ in }
    add("sock", "sock_send_length", signal: EventSpec.callSites) {
      Self.configureCallSite(&$0, options)
    }
    guard options.scope == .system else { return }
    add("sock", "inet_sock_set_state", signal: "connections") {
      $0.reach = .system
      $0.keep = .socketState
    }
  }

  /// A stack now and then beside the events that count.
  private static func configureCallSite(_ spec: inout EventSpec, _ options: RecordingOptions) {
    spec.name += "/stack/"
    spec.fields = [.base, .callchain, .raw, .userRegisters, .userStack]
    spec.registers = Self.stackRegisters
    spec.stackBytes = options.stackBytes
    spec.flags |= EventSpec.Flag.frequency
    spec.period = Self.callSiteFrequency
  }

  private mutating func addSignals(_ options: RecordingOptions) {
    guard options.scope == .system else { return }
    add("signal", "signal_generate", signal: "lifecycle") {
      $0.reach = .system
      $0.keep = .threadField
    }
    // A program that ends within a millisecond is looked at in /proc only if that is done at once.
    add("sched", "sched_process_exec", signal: "processes") {
      $0.reach = .system
      $0.keep = .maker
      $0.wakesAtOnce = true
    }
    for (system, name) in [("signal", "signal_deliver"), ("sched", "sched_process_exit")] {
      add(system, name, signal: "lifecycle") {
        $0.reach = .system
        $0.keep = .maker
      }
    }
  }

  private mutating func addClock(_ options: RecordingOptions) {
    guard options.sampleFrequency > 0 else { return }
    // PERF_COUNT_SW_CPU_CLOCK, whose period is in nanoseconds.
    var spec = EventSpec(
      name: "cpu-clock", type: EventSpec.software, config: 0,
      fields: [.base, .instructionPointer, .callchain, .userRegisters, .userStack],
      period: 1_000_000_000 / options.sampleFrequency, registers: Self.stackRegisters,
      stackBytes: options.stackBytes, signal: "cpu samples")
    spec.season = options.scope == .system && options.adaptsToRates ? .calm : .always
    specs.append(spec)
    guard spec.season == .calm else { return }
    // A clock of the task is set and stopped at each of its switches, that of a CPU runs on.
    spec.season = .hectic
    spec.reach = .system
    spec.keep = .maker
    spec.flags = EventSpec.Flag.excludeIdle
    spec.startsDisabled = true
    specs.append(spec)
  }

  private mutating func addAdaptive(
    _ system: String, _ name: String, _ source: AdaptiveSource, signal: String,
    _ options: RecordingOptions, _ configure: (inout EventSpec) -> Void
  ) {
    add(system, name, signal: signal) {
      configure(&$0)
      $0.role = .full(source)
    }
    guard options.adaptsToRates else { return }
    // Without PERF_SAMPLE_PERIOD: with it the kernel records every event of a software event.
    add(system, name, signal: signal) {
      configure(&$0)
      $0.period = Self.samplingPeriod
      $0.role = .sampled(source)
    }
  }

  private mutating func add(
    _ system: String, _ name: String, signal: String, _ configure: (inout EventSpec) -> Void
  ) {
    guard let tracefs else { return }
    guard let id = tracefs.eventID(system, name) else {
      if !unavailable.contains(where: { $0.reason.hasPrefix("\(system):\(name) ") }) {
        unavailable.append(
          .init(
            signal: signal, reason: "\(system):\(name) is not offered by this kernel to this user"))
      }
      return
    }
    var spec = EventSpec(
      name: "\(system):\(name)", type: EventSpec.tracepoint, config: id, fields: [.base, .raw],
      signal: signal, format: tracefs.format(system, name), system: system)
    configure(&spec)
    specs.append(spec)
  }
}
