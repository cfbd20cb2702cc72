import Glibc

/// By what means a recording is made.
package enum RecorderKind: String, Sendable, CaseIterable {
  /// Programs in the kernel where they may run, else perf's tracepoints where they can be opened, else from within the
  /// process, else from outside.
  case auto
  /// The kernel's perf events.
  case perf
  /// Programs in the kernel, beside perf events.
  case kernel
  /// A library in the recorded programs, which needs no privilege.
  case process
  /// Looks at the program's threads by /proc, which needs no privilege and no library in it.
  case outside

  /// Whether programs in the kernel record, where they may.
  var takesKernelPrograms: Bool { self == .kernel || self == .auto && Self.hasTracepoints }

  /// Whether what is not recorded from within is looked at from outside.
  var isFromOutside: Bool { self == .outside || self == .auto && !Self.hasTracepoints }

  /// Whether what it comes to is a recording from within the process, if the program takes part in that.
  func isWithinProcess(_ target: RecordingOptions.Target) -> Bool {
    switch target {
    case .command: self == .process || self == .auto && !Self.hasTracepoints
    case .pid(let pid):
      self == .process || self == .auto && !Self.hasTracepoints && AgentDoor.isThere(of: pid)
    }
  }

  /// The same for what the program is, in a line that says what is recorded; nil where perf's events are.
  package func description(_ target: RecordingOptions.Target) -> String? {
    if isWithinProcess(target), case .command(let words) = target,
      PreloadLibrary.refusal(of: words) == nil
    {
      return "within the process: waits, files, sockets, wakeups, CPU samples and memory"
    }
    if isWithinProcess(target), case .pid = target {
      return
        "by the program itself (LullAgent): waits, files, sockets, wakeups, CPU samples and memory"
    }
    guard isFromOutside else { return nil }
    return self != .outside && Self.hasSwitches
      ? "from outside, beside the kernel's switches: every wait, with the cause of those that last, CPU samples and"
        + " memory; unavailable: wakeups, files"
      : "from outside: waits that last, CPU time and memory; unavailable: wakeups, files"
  }

  /// What `lull record --` does here instead of opening perf's events, in a sentence; nil where it opens them.
  package static var insteadOfTracepoints: String? {
    guard !hasTracepoints else { return nil }
    guard PreloadLibrary.path != nil else {
      return "\(PreloadLibrary.name) is not beside lull: with it, what lull starts would be\n"
        + "recorded within the process."
    }
    return """
      What lull starts (lull record -- COMMAND) is recorded within the process:
      waits of threads with their causes and functions, wakeups, files, sockets, CPU
      samples and memory, of programs that are dynamically linked. So is what runs
      already (--pid) and imports LullAgent; what does not is looked at from outside\(
        hasSwitches
          ? ",\nwhile the kernel tells of its switches and samples its code." : ".")
      """
  }

  /// Whether the kernel tells of its switches to who may record an own program in user space alone.
  static let hasSwitches: Bool = {
    let cpus = SystemInfo.onlineCPUs()
    guard let cpu = cpus.first, RingShare.bytes(cpus: cpus.count) != nil else { return false }
    var spec = EventSpec(
      name: "switches", kind: .software, config: EventSpec.dummy, purpose: .mainThread)
    spec.flags = EventSpec.Flag.contextSwitch | EventSpec.Flag.disabled
    var requests = EventRequest(ringBytes: RingShare.smallest)
    let event = requests.open(spec, pid: 0, cpu: cpu, group: -1).result
    guard event >= 0 else { return false }
    TriedEvents.keep(event)
    return true
  }()

  /// Whether the tracepoints by which waits and calls are recorded can be opened.
  static let hasTracepoints: Bool = {
    guard let tracefs = try? TraceFS.locate() else { return false }
    EventTurn.take()
    defer { EventTurn.give() }
    // Who may open one may open the other, which would slow all calls as long as it is there.
    guard let id = tracefs.eventID("sched", "sched_switch"),
      tracefs.eventID("raw_syscalls", "sys_exit") != nil
    else { return false }
    let spec = EventSpec(name: "sched_switch", kind: .tracepoint, config: id, purpose: .mainThread)
    guard let event = EventRequest.anchor(of: spec, in: 0) else { return false }
    TriedEvents.keep(event)
    return true
  }()
}
