import CPFM
import Glibc

/// What is found by opening events.
extension CapabilityProbe {
  enum Place {
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
    // Rights are the same for all, and what was tried stays for the recording: one of each call would slow all calls.
    let tried = system == "raw_syscalls" ? files.eventID("sched", "sched_switch") ?? id : id
    return open(
      type: EventSpec.Kind.tracepoint.type, config: tried, on: place, period: 1,
      sampleType: Self.base | Self.raw | extra, registers: registers, stack: stack
    ).map { explanation.event($0, needsCapability: true) }
  }

  /// Opens an event, which is left to be closed with the others that were tried; the error number when that fails.
  func open(
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
    TriedEvents.keep(descriptor)
    return nil
  }

  /// What the catalogue's tracepoints of a line allow.
  ///
  /// Rights are found by opening those without which there is nothing; of the others it is asked whether the kernel has
  /// them.
  mutating func add(_ line: CapabilityLine) {
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
      registers: needsArguments ? EventPlan.stackRegisters : 0)
  }

  mutating func stacks() {
    let fields = Self.callchain | Self.userRegisters | Self.userStack
    let refusal = tracepoint(
      "sched", "sched_switch", on: .ownThread, extra: fields, registers: EventPlan.stackRegisters,
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

  mutating func fileNames() {
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
}
