import CPFM
import Glibc

/// Tries to open what a recording opens, on our own thread and on one CPU.
struct CapabilityProbe {
  private typealias Entry = CapabilityReport.Entry

  private let tracefs: Result<TraceFS, TraceFS.Absence>
  private let explanation: Explanation
  /// Whether there is what reads symbols from files.
  private let readsSymbols: Bool
  private var entries: [CapabilityReport.Entry] = []

  // PERF_SAMPLE_ bits.
  private static let base: UInt64 = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 16
  private static let raw: UInt64 = 1 << 10
  private static let callchain: UInt64 = 1 << 5
  private static let userRegisters: UInt64 = 1 << 12
  private static let userStack: UInt64 = 1 << 13
  #if arch(arm64)
    private static let registers: UInt64 = 0x1_ffff_ffff
  #else
    private static let registers: UInt64 = 0xff_0fff
  #endif
  private static let software: UInt32 = 1
  private static let tracepoint: UInt32 = 2

  init(readsSymbols: Bool) {
    self.readsSymbols = readsSymbols
    tracefs = TraceFS.search()
    let executable = KernelFile.link("/proc/self/exe") ?? ""
    // Counting one's own context switches in the program is allowed unless all is forbidden.
    var code = lull_event_code()
    code.type = Self.software
    code.config = 3
    code.exclude_kernel = 1
    let harmless = lull_counter_open(&code, 0, -1, 0)
    if harmless >= 0 { close(harmless) }
    explanation = Explanation(
      privileges: .current(),
      paranoidLevel: KernelFile.integer("/proc/sys/kernel/perf_event_paranoid"),
      kernel: .current,
      program: executable.hasSuffix("/lull") ? executable : "lull",
      refusesEverything: harmless < 0)
  }

  mutating func run() -> CapabilityReport {
    add(.mainThread)
    stacks()
    add(.wakeups)
    add(.network)
    add(.disk)
    fileNames()
    memory()
    counters()
    cpuSamples()
    swiftNames()
    kernelNames()
    otherProcesses()
    ringBuffers()
    let features = SystemInfo.features()
    let place: String? =
      switch tracefs {
      case .success(let found):
        switch found.origin {
        case .mounted(let path): path
        case .detached: "mounted privately"
        }
      case .failure: nil
      }
    return CapabilityReport(
      system: "Linux \(features.osRelease ?? "?") \(features.architecture ?? "")",
      privilege: explanation.privileges.text, paranoidLevel: explanation.paranoidLevel,
      tracefs: place, entries: entries)
  }

  // MARK: - Opening

  private enum Place {
    case ownThread
    case wholeCPU
  }

  /// Opens and closes a tracepoint; nil when that works.
  private func tracepoint(
    _ system: String, _ name: String, on place: Place, extra: UInt64 = 0,
    registers: UInt64 = 0, stack: UInt32 = 0
  ) -> Refusal? {
    let files: TraceFS
    switch tracefs {
    case .success(let found): files = found
    case .failure(let absence):
      // Reading tracefs alone is not enough: without CAP_PERFMON the next step would fail.
      let needsMore = absence.kind == .permission && !explanation.privileges.mayMonitor
      return Refusal(
        cause: absence.cause, error: Refusal.name(of: absence.errno),
        fix: needsMore ? explanation.raiseFix : absence.fix)
    }
    guard let id = files.eventID(system, name) else {
      return Refusal(cause: "this kernel has no tracepoint \(system):\(name)", error: "ENOENT")
    }
    return open(
      type: Self.tracepoint, config: id, on: place, period: 1,
      sampleType: Self.base | Self.raw | extra, registers: registers, stack: stack
    ).map { explanation.event($0, needsCapability: true) }
  }

  /// Opens and closes an event; the error number when that fails.
  private func open(
    type: UInt32, config: UInt64, on place: Place, period: UInt64, sampleType: UInt64,
    registers: UInt64 = 0, stack: UInt32 = 0, excludeKernel: Bool = false
  ) -> Int32? {
    var code = lull_event_code()
    code.type = type
    code.config = config
    code.exclude_kernel = excludeKernel ? 1 : 0
    let isWide = place == .wholeCPU
    let how = LULL_EVENT_DISABLED | LULL_EVENT_SAMPLE_ID_ALL | (isWide ? 0 : LULL_EVENT_INHERIT)
    // Inherited sampling events want a CPU too: without one they could have no ring.
    let cpu = SystemInfo.onlineCPUs().first ?? 0
    let descriptor = lull_probe_open(
      &code, isWide ? -1 : 0, cpu, period, sampleType, registers, stack, UInt32(how))
    if descriptor < 0 { return -descriptor }
    close(descriptor)
    return nil
  }

  private mutating func add(
    _ signal: String, _ status: CapabilityReport.Status, _ detail: String,
    _ refusal: Refusal? = nil
  ) {
    entries.append(
      Entry(
        signal: signal, status: status, detail: detail, cause: refusal?.cause,
        error: refusal?.error, fix: refusal?.fix))
  }

  // MARK: - Signals

  /// What the catalogue's tracepoints of a line allow.
  ///
  /// Rights are found by opening those without which there is nothing; of the others it is asked whether the kernel has them.
  private mutating func add(_ line: CapabilityLine) {
    let tracepoints = Tracepoint.catalogue.filter { $0.line == line }
    for tracepoint in tracepoints where tracepoint.isEssential {
      if let refusal = refusal(of: tracepoint) {
        return add(line.rawValue, .unavailable, tracepoint.lack, refusal)
      }
    }
    let missing = tracepoints.filter { !$0.isEssential && !has($0) }
    guard let first = missing.first else { return add(line.rawValue, .full, line.full) }
    var lacks: [String] = []
    for tracepoint in missing where !lacks.contains(tracepoint.lack) {
      lacks.append(tracepoint.lack)
    }
    add(
      line.rawValue, .degraded, "\(line.partial), without \(lacks.joined(separator: ", "))",
      Refusal(cause: "this kernel has no tracepoint \(first.fullName)", error: "ENOENT"))
  }

  private func has(_ tracepoint: Tracepoint) -> Bool {
    guard case .success(let files) = tracefs else { return false }
    return files.eventID(tracepoint.system, tracepoint.name) != nil
  }

  /// Opens it as a recording does, as far as its first use goes.
  private func refusal(of tracepoint: Tracepoint) -> Refusal? {
    let isWide = tracepoint.uses.first?.reach.visibility(.system) != .target
    let needsArguments = tracepoint.uses.contains { $0.contents == .arguments }
    return self.tracepoint(
      tracepoint.system, tracepoint.name, on: isWide ? .wholeCPU : .ownThread,
      extra: needsArguments ? Self.userRegisters : 0,
      registers: needsArguments ? Self.registers : 0)
  }

  private mutating func stacks() {
    let fields = Self.callchain | Self.userRegisters | Self.userStack
    let refusal = tracepoint(
      "sched", "sched_switch", on: .ownThread, extra: fields, registers: Self.registers,
      stack: 1024)
    guard let refusal else {
      return add("stacks", .full, "call chain, registers and stack where a thread blocks")
    }
    if tracepoint("sched", "sched_switch", on: .ownThread, extra: Self.callchain) == nil {
      add("stacks", .degraded, "by frame pointers only", refusal)
    } else {
      add("stacks", .unavailable, "where threads block is not known", refusal)
    }
  }

  private mutating func fileNames() {
    let name = "file names"
    let fallback = "from /proc while files are open; short-lived ones are missed"
    guard case .success(let files) = tracefs else {
      return add(
        name, .degraded, fallback, tracepoint("sched", "sched_switch", on: .ownThread))
    }
    do throws(RecordingError) {
      try files.append("", to: "uprobe_events")
    } catch {
      let isMissing = error.errno == ENOENT
      return add(
        name, .degraded, fallback,
        Refusal(
          cause: isMissing
            ? "the kernel was built without uprobe events"
            : "probes are defined by root alone", error: error.errno.map(Refusal.name(of:)),
          fix: isMissing ? nil : "run `sudo \(explanation.program) …`"))
    }
    if let refusal = tracepoint("sched", "sched_switch", on: .ownThread) {
      return add(name, .degraded, fallback, refusal)
    }
    let libraries = UprobeSet.libraryCandidates()
    if libraries.isEmpty {
      add(
        name, .degraded, fallback,
        Refusal(cause: "no C library was found in the usual places"))
    } else {
      add(name, .full, "by probes on the C library's open and rename")
    }
  }

  private mutating func memory() {
    guard let sampler = FootprintSampler(pid: getpid()), sampler.sample() != nil else {
      return add(
        "memory", .unavailable, "the footprint is not measured",
        Refusal(cause: "/proc/self/status cannot be read", fix: "mount /proc"))
    }
    if sampler.readsTransfers {
      add("memory", .full, "footprint, faults, and bytes read and written")
    } else {
      add(
        "memory", .degraded, "footprint and faults, without bytes read and written",
        Refusal(cause: "/proc/PID/io cannot be read: the kernel lacks it, or hides it"))
    }
  }

  private mutating func counters() {
    let set = CounterSet.open(pid: getpid())
    let missing = set.unavailable.map { "\($0.name): \($0.reason)" }.joined(separator: "; ")
    let present = set.names.joined(separator: ", ")
    if set.unavailable.isEmpty {
      add("counters", set.names.contains { $0.hasSuffix(":u") } ? .degraded : .full, present)
    } else if set.names.isEmpty {
      add(
        "counters", .unavailable, "no instructions, cycles or energy; energy is modelled",
        Refusal(cause: missing))
    } else {
      add("counters", .degraded, present, Refusal(cause: missing))
    }
  }

  private mutating func cpuSamples() {
    let fields = Self.base | Self.callchain | Self.userRegisters | Self.userStack
    func sampling(excludeKernel: Bool) -> Int32? {
      open(
        type: Self.software, config: 0, on: .ownThread, period: 10_000_000, sampleType: fields,
        registers: Self.registers, stack: 1024, excludeKernel: excludeKernel)
    }
    guard let cause = sampling(excludeKernel: false) else {
      return add("CPU samples", .full, "97 a second, with stacks")
    }
    let refusal = explanation.event(cause, needsCapability: false)
    if sampling(excludeKernel: true) == nil {
      add("CPU samples", .degraded, "in the program only, not in the kernel", refusal)
    } else {
      add(
        "CPU samples", .unavailable, "where the program computes is not known",
        explanation.event(cause, needsCapability: false, userLevel: 2))
    }
  }

  private mutating func swiftNames() {
    if !readsSymbols {
      add(
        "Swift names", .unavailable, "functions are shown as module and offset",
        Refusal(cause: "libdw is not installed", fix: "apt-get install libdw1"))
    } else if ProcessProbe.isSwift(pid: getpid()) != nil {
      add("Swift names", .full, "from the program's own symbols")
    } else {
      add(
        "Swift names", .unavailable, "modules and symbols cannot be found",
        Refusal(cause: "/proc/self/maps and /proc/self/exe cannot be read", fix: "mount /proc"))
    }
  }

  private mutating func kernelNames() {
    let symbols = KernelSymbols()
    guard let reason = symbols.unavailableReason else {
      return add("kernel names", .full, "\(symbols.count) functions")
    }
    let level = KernelFile.integer("/proc/sys/kernel/kptr_restrict") ?? 0
    let mayRead = explanation.privileges.has(.syslog)
    let fix: String? =
      level >= 2
      ? "`sudo sysctl kernel.kptr_restrict=1`" + (mayRead ? "" : ", and \(explanation.raiseFix)")
      : mayRead ? nil : explanation.raiseFix
    add(
      "kernel names", .degraded, "kernel frames are addresses",
      Refusal(cause: reason, fix: fix))
  }

  private mutating func otherProcesses() {
    let user = geteuid()
    var isAnyForeign = false
    for pid in KernelFile.numbers(in: "/proc") {
      var information = stat()
      guard stat("/proc/\(pid)", &information) == 0, information.st_uid != user,
        !ProcessProbe.isKernelThread(pid: pid)
      else { continue }
      isAnyForeign = true
      if ProcessProbe.isTraceable(pid: pid) {
        return add("attach", .full, "to every process")
      }
    }
    let mayTrace = explanation.privileges.has(.trace)
    if mayTrace, !isAnyForeign { return add("attach", .full, "to every process") }
    let refusal =
      mayTrace
      ? Refusal(cause: "a security module guards others' processes", error: "EACCES")
      : Refusal(
        cause: "others' processes need CAP_SYS_PTRACE", error: "EACCES",
        fix: explanation.raiseFix)
    add("attach", .degraded, "to your own processes only", refusal)
  }

  private mutating func ringBuffers() {
    var code = lull_event_code()
    code.type = Self.software
    code.config = 9  // dummy
    code.exclude_kernel = 1
    let descriptor = lull_probe_open(
      &code, 0, SystemInfo.onlineCPUs().first ?? 0, 1, Self.base, 0, 0,
      UInt32(LULL_EVENT_DISABLED))
    guard descriptor >= 0 else {
      return add(
        "ring buffers", .unavailable, "nothing can be recorded but what /proc tells",
        explanation.event(-descriptor, needsCapability: false, userLevel: 2))
    }
    defer { close(descriptor) }
    let pageKilobytes = max(1, Int(sysconf(Int32(_SC_PAGESIZE))) / 1024)
    for kilobytes in [2048, 512, 128] {
      let result = lull_probe_map(descriptor, UInt32(kilobytes / pageKilobytes))
      if result == 0 {
        let status: CapabilityReport.Status = kilobytes >= 512 ? .full : .degraded
        return add("ring buffers", status, "\(kilobytes) kB a CPU")
      }
      if kilobytes == 128 {
        add(
          "ring buffers", .unavailable, "no buffer for events can be mapped",
          explanation.ring(-result, kilobytes: 516))
      }
    }
  }
}
