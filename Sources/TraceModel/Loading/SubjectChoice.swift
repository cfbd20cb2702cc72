import PerfData
import Quantities

/// Finds the process that a recording is about.
enum SubjectChoice {
  /// Programs that only start another one; the one they start is the subject.
  private static let drivers: Set<String> = [
    "sh", "bash", "dash", "zsh", "busybox", "env", "sudo", "su", "runuser", "doas", "setpriv",
    "chroot", "flock", "time", "timeout", "nice", "ionice", "stdbuf", "xargs", "make", "ip",
    "unshare", "nsenter", "setsid", "nohup", "taskset", "numactl",
  ]

  /// Those of the toolchain.
  private static let swiftDrivers: Set<String> = [
    "swift", "swift-run", "swift-test", "swift-package",
  ]

  /// Tools of the toolchain that a driver runs on the way to the program.
  private static let tools: Set<String> = [
    "swift-build", "swift-help", "swift-frontend", "swiftc", "swift-driver",
    "swift-autolink-extract", "clang", "ld.lld", "ld.gold", "ld", "swift-plugin-server", "llvm-ar",
  ]

  /// What a build runs as well; without one it is a program like any other.
  private static let toolsOfBuilds: Set<String> = ["git"]

  /// - Parameters:
  ///   - trigger: the process in which that happened since which the trace was written.
  ///   - hosts: the processes that ran tests.
  /// - Throws: `TraceError` when the process asked for is not in the trace.
  static func choose(
    among processes: [ProcessModel], capture: CaptureEvent?, asked: String?, trigger: Int? = nil,
    recorded command: [String] = [], hosts: Set<Int32> = []
  ) throws(TraceError) -> ProcessModel {
    let wanted = asked ?? capture?.subjectHint
    if let wanted {
      let matches = processes.filter {
        String($0.pid) == wanted || $0.name == wanted || baseName($0) == wanted
          || WholeName.isKept(wanted, of: $0.name)
      }
      if let best = matches.max(by: usesLess) { return best }
      throw TraceError("no process \(wanted) in the trace; \(hint(wanted, among: processes))")
    }
    // Of an id that was given anew it is the last that had it.
    if let trigger, let tripped = processes.last(where: { Int($0.pid) == trigger }) {
      return tripped
    }
    let found =
      if let capture {
        processes.first { Int($0.pid) == capture.rootPid }
      } else {
        recorded(by: command, among: processes) ?? busiest(of: processes)
      }
    let root = found ?? processes.first
    guard let root else { throw TraceError("the trace names no process") }
    // A later part of a command's recording begins as one of a running process does.
    let isAttached = capture.map { $0.mode == .attach && $0.commandLine.isEmpty } ?? false
    if isAttached || !isDriver(root) { return root }
    let others = processes.filter { $0.pid != root.pid && !isDriver($0) }
    let isBuild = processes.contains { isTool($0) || has($0, nameIn: swiftDrivers) }
    let started = others.filter { !isTool($0) && !(isBuild && has($0, nameIn: toolsOfBuilds)) }
    let candidates = [
      started.filter { hosts.contains($0.pid) }, started.filter(\.isSwift), started,
    ].first { !$0.isEmpty }
    // The driver may be there for a tool, which may have started more of them.
    let build = others.filter(\.isSwift).min { $0.start < $1.start }
    if let best = candidates?.max(by: usesLess) {
      let isMeant = best.isSwift || hosts.contains(best.pid)
      if !isMeant, capture != nil, let build, isTool(build),
        isTrifle(best, beside: build, processes)
      {
        return build
      }
      // When a process began only Lull's own traces tell.
      return !isMeant && capture != nil && isScript(root, startedMost: best, among: processes)
        ? root : best
    }
    return build ?? root
  }

  /// Whether a command only happened beside a build, as `date` does behind it: it lived and did next to nothing, and is
  /// not what was built.
  private static func isTrifle(
    _ command: ProcessModel, beside build: ProcessModel, _ processes: [ProcessModel]
  ) -> Bool {
    guard !(command.executable ?? "").contains("/.build/"), let end = build.end,
      let ended = command.end
    else { return false }
    let work = processes.filter(isTool).reduce(0) { $0 + $1.cpuSeconds }
    return command.cpuSeconds < 0.1 * work
      && (ended - command.start).seconds < 0.1 * (end - build.start).seconds
  }

  /// Whether a shell or the like is the program itself: none of what it started lived for long, or did more.
  private static func isScript(
    _ root: ProcessModel, startedMost best: ProcessModel, among processes: [ProcessModel]
  ) -> Bool {
    guard root.cpuSeconds > best.cpuSeconds,
      let last = processes.flatMap({ [$0.start, $0.end ?? $0.start] }).max()
    else { return false }
    let life = ((root.end ?? last) - root.start).seconds
    let longest = processes.filter { $0.pid != root.pid }.map { ($0.end ?? last) - $0.start }.max()
    return life >= shortestScript && longest.map { $0.seconds < 0.1 * life } ?? true
  }

  /// In less the shell's own part is no more than any start of a command.
  private static let shortestScript = 2.0

  private static let mostNamed = 8

  /// What may have been meant: processes of a like name, else those that used most.
  private static func hint(_ wanted: String, among processes: [ProcessModel]) -> String {
    func list(_ some: some Collection<ProcessModel>) -> String {
      some.prefix(mostNamed).map { "\($0.name) (\($0.pid))" }.joined(separator: ", ")
    }
    let byUse = processes.sorted { usesLess($1, $0) }
    let near = NearestName.of(wanted, among: processes.flatMap { [$0.name, baseName($0)] })
    let alike = byUse.filter { $0.name == near || baseName($0) == near }
    if !alike.isEmpty { return "did you mean \(list(alike))?" }
    let rest = processes.count - mostNamed
    return "it has \(list(byUse))" + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Whether nothing tells what a trace of another recorder is about, so that it was chosen by what it used.
  static func isByUse(
    among processes: [ProcessModel], capture: CaptureEvent?, asked: String?,
    recorded command: [String]
  ) -> Bool {
    capture == nil && asked == nil && processes.count > 1
      && recorded(by: command, among: processes) == nil
  }

  /// The program or the process that perf's own command line names.
  private static func recorded(
    by command: [String], among processes: [ProcessModel]
  ) -> ProcessModel? {
    for (option, value) in zip(command, command.dropFirst()) where ["-p", "--pid"].contains(option)
    {
      let found = value.split(separator: ",").compactMap { pid in
        processes.first { String($0.pid) == pid }
      }
      if let most = found.max(by: usesLess) { return most }
    }
    for (option, value) in command.map({ ($0.prefix(6), $0.dropFirst(6)) }) where option == "--pid="
    {
      if let found = processes.first(where: { String($0.pid) == value }) { return found }
    }
    // What follows the options is the program, whose name is that of a process; after "--" nothing else is.
    let words =
      command.firstIndex(of: "--").map { command[($0 + 1)...].prefix(1) } ?? command.dropFirst()
    for word in words {
      let program = word.split(separator: "/").last.map(String.init) ?? ""
      // `perf record -a sleep 10` says how long, not what.
      guard !program.isEmpty, program != "sleep", !recorders.contains(program) else { continue }
      let named = processes.filter {
        baseName($0) == program
          || $0.name == String(decoding: program.utf8.prefix(15), as: UTF8.self)
      }
      if let most = named.max(by: usesLess) { return most }
    }
    return nil
  }

  /// Who used the CPUs most, as far as the trace tells: of those that do not record.
  private static func busiest(of processes: [ProcessModel]) -> ProcessModel? {
    processes.filter {
      $0.pid > 0 && !recorders.contains(baseName($0)) && !recorders.contains($0.name)
    }
    .max(by: usesLess)
  }

  /// What makes traces, and is on them itself.
  private static let recorders: Set<String> = ["perf", "perf-exec", "trace-cmd", "simpleperf"]

  private static func usesLess(_ one: ProcessModel, _ other: ProcessModel) -> Bool {
    let (a, b) = (one, other)
    if a.cpuSeconds != b.cpuSeconds { return a.cpuSeconds < b.cpuSeconds }
    if a.sampledPeriods != b.sampledPeriods { return a.sampledPeriods < b.sampledPeriods }
    if (a.programStart == nil) != (b.programStart == nil) { return a.programStart == nil }
    if a.wakeups != b.wakeups { return a.wakeups < b.wakeups }
    // The first of those that are alike.
    return (a.start, a.pid) > (b.start, b.pid)
  }

  /// Whether a process only starts others.
  static func isDriver(_ process: ProcessModel) -> Bool {
    !isTool(process) && (has(process, nameIn: drivers) || has(process, nameIn: swiftDrivers))
  }

  /// One file may be many programs, which only the name it is called by tells apart: swift-build is a link to
  /// swift-package.
  private static func isTool(_ process: ProcessModel) -> Bool {
    has(process, nameIn: tools)
  }

  private static func has(_ process: ProcessModel, nameIn names: Set<String>) -> Bool {
    names.contains(baseName(process)) || names.contains(process.name)
  }

  private static func baseName(_ process: ProcessModel) -> String {
    (process.executable ?? process.name).split(separator: "/").last.map(String.init) ?? ""
  }
}
