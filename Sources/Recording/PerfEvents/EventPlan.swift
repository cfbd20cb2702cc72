import PerfData

/// What the recorder asks the kernel for, in the order of the trace's attributes.
struct EventPlan {
  private(set) var specs: [EventSpec] = []
  /// What this machine does not have, with the reason.
  private(set) var unavailable: [CaptureEvent.Unavailable] = []

  /// One of so many events is recorded of a source that is sampled; a prime, so that it does not
  /// fall in step with a program that does the same few things in turn.
  static let samplingPeriod: UInt64 = 251

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

  private let options: RecordingOptions
  /// Programs in the kernel record what comes most often.
  private let isBesidePrograms: Bool

  init(
    tracefs: TraceFS?, options: RecordingOptions, countsTransfers: Bool = false,
    besidePrograms: Bool = false,
    uprobes: [UprobeSet.Probe]
  ) {
    self.options = options
    isBesidePrograms = besidePrograms
    if options.scope == .process, !besidePrograms {
      unavailable.append(
        .init(.wakeups, "the scope is the process: who woke it is not recorded"))
    }
    addDummy()
    if let tracefs {
      for tracepoint in Tracepoint.catalogue { add(tracepoint, tracefs) }
    } else if !isBesidePrograms {
      addSwitches()
    }
    addClock()
    // Programs in the kernel tell the paths.
    specs += uprobes.map(EventSpec.init).filter { !isBesidePrograms || $0.purpose != .fileNames }
    if !isBesidePrograms,
      CPUWideTakeover.isPossible(countsTransfers: countsTransfers, among: specs),
      options.scope == .system
    {
      addTakeover()
    }
  }

  /// Whose events tell of the target: one of a thread costs it at each of its switches, so that beside programs in the
  /// kernel there are few but those of the CPUs, of which all but the target's are dropped.
  private var ofTarget: EventSpec.Visibility { isBesidePrograms ? .machine(by: .maker) : .target }

  private func visibility(_ reach: Tracepoint.Reach) -> EventSpec.Visibility? {
    let found = reach.visibility(isBesidePrograms ? .system : options.scope)
    return found == .target ? ofTarget : found
  }

  private mutating func addDummy() {
    typealias Flag = EventSpec.Flag
    var spec = EventSpec(
      name: "dummy:HG", kind: .software, config: EventSpec.dummy, purpose: .processes)
    // It has no samples; perf script shows symbols only if the first software event has IP.
    spec.fields = [.base, .instructionPointer]
    // Its SWITCH records are the truth about when a thread ran: the tracepoint
    // sched_switch fires in the thread that goes, and some kernels drop it in some threads.
    spec.flags =
      Flag.mmap | Flag.comm | Flag.task | Flag.mmap2 | Flag.commExec | Flag.buildID
      | (isBesidePrograms ? 0 : Flag.contextSwitch)
    spec.visibility = ofTarget
    specs.append(spec)
  }

  private mutating func add(_ tracepoint: Tracepoint, _ tracefs: TraceFS) {
    let uses = tracepoint.uses.compactMap { use in
      isBesidePrograms && use.isOfPrograms
        ? nil : visibility(use.reach).map { (use, $0) }
    }
    guard let first = uses.first?.0 else { return }
    guard let id = tracefs.eventID(tracepoint.system, tracepoint.name) else {
      unavailable.append(
        .init(
          first.purpose, "\(tracepoint.fullName) is not offered by this kernel to this user"))
      return
    }
    let format = tracefs.format(tracepoint.system, tracepoint.name)
    for (use, visibility) in uses {
      var spec = EventSpec(
        name: tracepoint.fullName + use.variant.rawValue, kind: .tracepoint, config: id,
        variant: use.variant, purpose: use.purpose, visibility: visibility, cost: use.cost,
        payload: use.payload,
        filter: use.filter, wakesAtOnce: use.wakesAtOnce, format: format,
        system: tracepoint.system)
      hold(use.contents, &spec)
      if case .paced(let perSecond) = use.cost {
        spec.flags |= EventSpec.Flag.frequency
        spec.period = perSecond
      }
      specs.append(spec)
      guard case .whole(let source) = use.cost, source.canBeSampled else { continue }
      // Without PERF_SAMPLE_PERIOD: with it the kernel records every event of a software event.
      spec.period = Self.samplingPeriod
      spec.cost = .sampled(source)
      specs.append(spec)
    }
  }

  private func hold(_ contents: Tracepoint.Contents, _ spec: inout EventSpec) {
    switch contents {
    case .raw: spec.fields = [.base, .raw]
    case .arguments:
      spec.fields = [.base, .raw, .userRegisters]
      spec.registers = Self.argumentRegisters
    case .stack:
      spec.fields = [.base, .callchain, .raw, .userRegisters, .userStack]
      spec.registers = Self.stackRegisters
      spec.stackBytes = options.stackBytes
    }
  }

  /// Switches with their stacks, which perf_event_paranoid 1 lets a user have where it forbids tracepoints.
  private mutating func addSwitches() {
    // PERF_COUNT_SW_CONTEXT_SWITCHES.
    var spec = EventSpec(
      name: "context-switches", kind: .software, config: 3, purpose: .mainThread, cost: .frequent)
    hold(.stack, &spec)
    spec.fields.remove(.raw)
    spec.isKernels = true
    specs.append(spec)
  }

  /// Of programs that are looked at from outside, beside others that tell of themselves: their switches and threads,
  /// and samples where they run. Their children are found as they were.
  static func besideLooks(_ options: RecordingOptions) -> [EventSpec] {
    typealias Flag = EventSpec.Flag
    var switches = EventSpec(
      name: "dummy:HG", kind: .software, config: EventSpec.dummy, purpose: .mainThread)
    switches.fields = [.base, .instructionPointer]
    switches.flags = Flag.comm | Flag.task | Flag.contextSwitch | Flag.inheritThread
    guard options.sampleFrequency > 0 else { return [switches] }
    var clock = clock(options)
    clock.flags |= Flag.inheritThread
    return [switches, clock]
  }

  private static func clock(_ options: RecordingOptions) -> EventSpec {
    // PERF_COUNT_SW_CPU_CLOCK, whose period is in nanoseconds.
    var spec = EventSpec(name: "cpu-clock", kind: .software, config: 0, purpose: .cpuSamples)
    spec.fields = [.base, .instructionPointer, .callchain, .userRegisters, .userStack]
    spec.period = options.sampleInterval
    spec.registers = Self.stackRegisters
    spec.stackBytes = options.stackBytes
    return spec
  }

  private mutating func addClock() {
    guard options.sampleFrequency > 0 else { return }
    var spec = Self.clock(options)
    spec.phase = .taskClock
    specs.append(spec)
    guard options.scope == .system || isBesidePrograms else { return }
    // A clock of the task is set and stopped at each of its switches and begins anew with each task; that of a CPU runs
    // on, and wakes a CPU that is idle.
    spec.phase = .cpuClock
    spec.visibility = .machine(by: .maker)
    spec.flags = EventSpec.Flag.excludeIdle
    specs.append(spec)
  }

  /// For each event of the task one of the machine; see `CPUWideTakeover`.
  private mutating func addTakeover() {
    for index in specs.indices
    where specs[index].visibility == .target && specs[index].phase == .always
      && specs[index].kind != .uprobe
    {
      specs[index].phase = .untilTakeover
      var spec = specs[index]
      spec.visibility = .machine(by: .maker)
      spec.phase = .afterTakeover(from: index)
      specs.append(spec)
    }
  }
}

extension EventSpec {
  /// A probe of Lull's own.
  init(_ probe: UprobeSet.Probe) {
    let template = probe.template
    self.init(
      name: "\(probe.system):\(probe.name)", kind: .uprobe, config: probe.id,
      purpose: template.purpose, fields: [.base, .raw], format: probe.format,
      system: probe.system)
    if !probe.isReturn {
      cost = template.cost
      payload = template.payload
    }
    if purpose == .tests { filter = TestHost.filter }
    // Without them paths are those of /proc.
    if purpose == .fileNames || purpose == .queueLabels { phase = .untilBusy }
  }
}
