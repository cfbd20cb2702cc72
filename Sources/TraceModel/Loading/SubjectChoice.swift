import PerfData

/// Finds the process that a recording is about.
enum SubjectChoice {
  /// Programs that only start another one; the one they start is the subject.
  static let drivers: Set<String> = [
    "sh", "bash", "dash", "zsh", "busybox", "env", "sudo", "su", "runuser", "doas", "setpriv",
    "chroot", "flock", "time", "timeout", "nice", "ionice", "stdbuf", "xargs", "make", "swift",
    "swift-run", "swift-test", "swift-package", "ip", "unshare", "nsenter", "setsid", "nohup",
    "taskset", "numactl",
  ]

  /// Tools of the toolchain that a driver runs on the way to the program.
  static let tools: Set<String> = [
    "swift-build", "swift-help", "swift-frontend", "swiftc", "swift-driver",
    "swift-autolink-extract", "clang", "ld.lld", "ld.gold", "ld", "swift-plugin-server", "llvm-ar",
    "git",
  ]

  /// - Parameter hosts: the processes that ran tests.
  /// - Throws: `TraceError` when the process asked for is not in the trace.
  static func choose(
    among processes: [ProcessModel], capture: CaptureEvent?, asked: String?,
    recorded command: [String] = [], hosts: Set<Int32> = []
  ) throws(TraceError) -> ProcessModel {
    let wanted = asked ?? capture?.subjectHint
    if let wanted {
      let matches = processes.filter {
        String($0.pid) == wanted || $0.name == wanted || baseName($0) == wanted
      }
      if let best = matches.max(by: { $0.cpuSeconds < $1.cpuSeconds }) { return best }
      let known = processes.map { "\($0.name) (\($0.pid))" }.joined(separator: ", ")
      throw TraceError("no process \(wanted) in the trace; it has: \(known)")
    }
    if capture == nil, let found = recorded(by: command, among: processes) { return found }
    let rootPid = capture.map { Int32(truncatingIfNeeded: $0.rootPid) }
    let root = processes.first { $0.pid == rootPid } ?? processes.first
    guard let root else { throw TraceError("the trace names no process") }
    if capture?.mode == .attach || !isDriver(root) { return root }
    let others = processes.filter { $0.pid != root.pid && !isDriver($0) }
    let started = others.filter { !isTool($0) }
    let candidates = [
      started.filter { hosts.contains($0.pid) }, started.filter(\.isSwift), started,
    ].first { !$0.isEmpty }
    if let candidates { return candidates.max { $0.cpuSeconds < $1.cpuSeconds } ?? root }
    // The driver was there for a tool, which may have started more of them.
    return others.filter(\.isSwift).min { $0.start < $1.start } ?? root
  }

  /// The program that perf's own command line names; in a recording of the whole machine, what used the CPUs most.
  private static func recorded(
    by command: [String], among processes: [ProcessModel]
  ) -> ProcessModel? {
    if let dashes = command.firstIndex(of: "--"), dashes + 1 < command.count {
      let program = command[dashes + 1].split(separator: "/").last.map(String.init) ?? ""
      let named = processes.filter { baseName($0) == program || $0.name == program.prefix(15) }
      if !drivers.contains(program), let best = named.max(by: { $0.cpuSeconds < $1.cpuSeconds }) {
        return best
      }
    }
    guard command.contains("-a") || command.contains("--all-cpus") else { return nil }
    return processes.filter { $0.pid > 0 && baseName($0) != "perf" }.max {
      $0.cpuSeconds < $1.cpuSeconds
    }
  }

  /// Whether a process only starts others.
  static func isDriver(_ process: ProcessModel) -> Bool {
    !isTool(process) && (drivers.contains(baseName(process)) || drivers.contains(process.name))
  }

  /// One file may be many programs, which only the name it is called by tells apart: swift-build is a link to
  /// swift-package.
  private static func isTool(_ process: ProcessModel) -> Bool {
    tools.contains(baseName(process)) || tools.contains(process.name)
  }

  private static func baseName(_ process: ProcessModel) -> String {
    (process.executable ?? process.name).split(separator: "/").last.map(String.init) ?? ""
  }
}
