import PerfData

/// The events under which what programs tell of themselves is written: the kernel's, in the kernel's layout, so that
/// who reads a trace need not know who wrote it.
enum PreloadEvent: Int, CaseIterable {
  /// Mappings, threads, switches: of no samples of its own, and the first, as perf has it.
  case sideBand
  case scheduleSwitch
  case systemCallExit, systemCallStack
  case fsync, fdatasync, mmap
  case send, sendStack, receive, socketState
  case open, opened, rename, unlink
  case processorSample
  case signal
  case waking
  case runnerLine
  case systemCallSpin
  case jobBegan, jobEnd, jobHanded, taskMade

  /// What programs in the kernel alone tell.
  var isOfPrograms: Bool { rawValue >= Self.systemCallSpin.rawValue }

  /// System and name of its tracepoint.
  var tracepoint: (system: String, name: String) {
    switch self {
    case .sideBand: ("", "dummy:HG")
    case .scheduleSwitch: ("sched", "sched_switch")
    case .systemCallExit, .systemCallStack, .systemCallSpin: ("raw_syscalls", "sys_exit")
    case .fsync: ("syscalls", "sys_enter_fsync")
    case .fdatasync: ("syscalls", "sys_enter_fdatasync")
    case .mmap: ("syscalls", "sys_enter_mmap")
    case .send, .sendStack: ("sock", "sock_send_length")
    case .receive: ("sock", "sock_recv_length")
    case .socketState: ("sock", "inet_sock_set_state")
    case .open: ("lull_process", "open")
    case .opened: ("lull_process", "open_ret")
    case .rename: ("lull_process", "rename")
    case .unlink: ("lull_process", "unlink")
    case .processorSample: ("", "task-clock")
    case .signal: ("signal", "signal_generate")
    case .waking: ("sched", "sched_waking")
    case .runnerLine: ("lull_process", "fputs")
    case .jobBegan: ("lull_kernel", "swift_job_run")
    case .jobEnd: ("lull_kernel", "swift_job_run_ret")
    case .jobHanded: ("lull_kernel", "swift_task_enqueue")
    case .taskMade: ("lull_kernel", "swift_task_create")
    }
  }

  private var hasStack: Bool { [.scheduleSwitch, .systemCallStack, .sendStack].contains(self) }
  /// Those that are no tracepoints have no description of their payload.
  var isTracepoint: Bool { self != .sideBand && self != .processorSample }

  /// The event of the same tracepoint that has its format.
  private var formatOwner: PreloadEvent {
    switch self {
    case .systemCallStack, .systemCallSpin: .systemCallExit
    case .sendStack: .send
    default: self
    }
  }

  private var variant: String {
    self == .systemCallSpin ? "/spin/" : formatOwner == self ? "" : "/stack/"
  }

  /// A number that no tracepoint of the kernel has.
  var config: UInt64 { UInt64(64_000 + formatOwner.rawValue) }

  /// The attribute; of samples so much CPU time is between two, in nanoseconds.
  func attribute(id: UInt64, stackBytes: UInt32, sampleInterval: UInt64) -> EventAttribute {
    if self == .sideBand {
      typealias Flag = EventSpec.Flag
      return EventAttribute(
        type: 1, config: EventSpec.dummy, sampleType: [.base, .instructionPointer],
        flags: EventAttribute.sampleIDAllFlag | EventAttribute.useClockIDFlag | Flag.mmap
          | Flag.comm | Flag.task | Flag.mmap2 | Flag.commExec | Flag.buildID | Flag.contextSwitch,
        ids: [id], name: tracepoint.name)
    }
    if self == .processorSample {
      // PERF_COUNT_SW_TASK_CLOCK.
      return EventAttribute(
        type: 1, config: 1,
        sampleType: [.base, .instructionPointer, .callchain, .userRegisters, .userStack],
        sampleRegsUser: EventPlan.stackRegisters, sampleStackUser: stackBytes,
        samplePeriod: max(sampleInterval, 1), ids: [id], name: tracepoint.name)
    }
    var fields: SampleFields = [.base, .raw]
    var registers: UInt64 = 0
    // One of these may stand for several.
    if [.systemCallExit, .systemCallSpin, .send, .receive].contains(self) {
      fields.insert(.period)
    }
    if hasStack {
      fields.formUnion([.callchain, .userRegisters, .userStack])
      registers = EventPlan.stackRegisters
    } else if self == .systemCallExit || self == .systemCallSpin {
      fields.insert(.userRegisters)
      registers = EventPlan.argumentRegisters
    }
    return EventAttribute(
      type: 2, config: config, sampleType: fields, sampleRegsUser: registers,
      sampleStackUser: hasStack ? stackBytes : 0, ids: [id],
      name: "\(tracepoint.system):\(tracepoint.name)" + variant)
  }

  /// The kernel's description of the layouts, less what it prints them with.
  static var tracingData: TracingData {
    TracingData(
      headerPage: """
        \tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
        \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
        \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
        \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;

        """, headerEvent: "",
      formats: allCases.compactMap { event in
        guard event.isTracepoint, !event.isOfPrograms, event.formatOwner == event else {
          return nil
        }
        return TracingData.Format(system: event.tracepoint.system, text: event.format)
      })
  }
}
