import CPerfEvent
import Files
import Glibc

/// A command that was started but waits to be released before it becomes its program.
final class WrappedCommand {
  private var child: lull_child
  private(set) var isReleased = false
  private(set) var isReaped = false
  /// Becomes readable when the command ends; -1 where the kernel has no pidfd (before 5.3).
  let pidfd: Int32
  /// What the child took from its parent by the fork: the kernel's peak never falls below it.
  private var inheritedPeak: UInt64 = 0

  var pid: Int32 { child.pid }

  /// The user who called sudo, as whom the command runs.
  private struct Invoker {
    var user: InvokingUser
    var name: String
    var home: String?

    init?(environment: [String: String]) {
      guard let user = InvokingUser(environment: { environment[$0] }) else { return nil }
      self.user = user
      let entry = getpwuid(user.uid)
      name = entry?.pointee.pw_name.map { String(cString: $0) } ?? environment["SUDO_USER"] ?? ""
      home = entry?.pointee.pw_dir.map { String(cString: $0) }
    }
  }

  /// Forks; the child waits before its exec.
  init(_ arguments: [String], environment: [String: String]) throws(RecordingError) {
    guard let program = arguments.first, !program.isEmpty else {
      throw RecordingError(
        kind: .usage, message: "no command was given: lull record -- COMMAND [ARGUMENT…]")
    }
    if arguments.contains(where: { $0.utf8.contains(0) }) {
      throw RecordingError(kind: .usage, message: "an argument of the command holds a zero byte")
    }
    let invoker = Invoker(environment: environment)
    var environment = environment
    if let invoker {
      environment["USER"] = invoker.name
      environment["LOGNAME"] = invoker.name
      environment["HOME"] = invoker.home ?? environment["HOME"]
    }
    let inherited = InheritedWords()
    var argv = inherited.copies(of: arguments) + [nil]
    var envp = inherited.copies(of: environment) + [nil]
    defer { for text in argv + envp { free(text) } }
    var started = lull_child()
    let result = argv.withUnsafeMutableBufferPointer { argv in
      envp.withUnsafeMutableBufferPointer { envp in
        (invoker?.name ?? "").withCString { name in
          var command = lull_command()
          command.argv = UnsafePointer(argv.baseAddress)
          command.envp = UnsafePointer(envp.baseAddress)
          if let invoker {
            command.drops_privilege = 1
            command.uid = invoker.user.uid
            command.gid = invoker.user.gid
            command.user = name
          }
          return lull_spawn(&command, &started)
        }
      }
    }
    guard result == 0 else {
      throw RecordingError(
        kind: .io, message: "cannot start a process: \(KernelFile.errorText(-result))",
        errno: -result)
    }
    child = started
    pidfd = lull_pidfd_open(started.pid)
  }

  deinit {
    if !isReleased {
      // The child exits when its gate closes without a word.
      lull_abandon(&child)
      if !isReaped {
        var status: Int32 = 0
        var usage = rusage()
        _ = lull_reap(child.pid, 1, &status, &usage)
      }
    }
    if pidfd >= 0 { close(pidfd) }
  }

  /// Lets the command run; gives the failure of its exec, of which the child has then ended.
  func release(program: String) -> RecordingError? {
    isReleased = true
    if let text = KernelFile.bytes("/proc/\(child.pid)/status") {
      inheritedPeak = ProcFields.kilobytes("VmHWM:", in: text[...]) ?? 0
    }
    let result = lull_release(&child)
    guard result < 0 else { return nil }
    let text = KernelFile.errorText(-result)
    if -result == ENOENT {
      // What has a slash is a path, and is not looked for.
      let reason =
        !program.contains("/")
        ? "command not found: it is not in PATH, or its interpreter is missing"
        : access(program, F_OK) == 0
          ? "its interpreter is missing: what its first line names, or its dynamic linker"
          : "there is no such file"
      return RecordingError(
        kind: .commandNotFound, message: "\(program): \(reason)", errno: -result)
    }
    return RecordingError(
      kind: .commandNotExecutable, message: "\(program) cannot be executed: \(text)",
      errno: -result)
  }

  /// How the command ended.
  struct End {
    var status: Int32?
    var signal: Int32?
    /// The kernel's own peak; nil where it is the recorder's, whose copy the child was before its exec.
    var peakResidentBytes: UInt64?
    /// CPU time of it and of all that it started and waited for, in nanoseconds.
    var usedWithChildren: UInt64

    /// What a shell would give: the status, or 128 and the signal.
    var exitStatus: Int32 { status ?? 128 + (signal ?? 0) }
  }

  /// Collects the command's end; nil while it runs.
  func reap(waiting: Bool = false) -> End? {
    guard !isReaped else { return nil }
    var status: Int32 = 0
    var usage = rusage()
    guard lull_reap(child.pid, waiting ? 1 : 0, &status, &usage) == 1 else { return nil }
    isReaped = true
    let signal = status & 0x7f
    // Kilobytes on Linux.
    let peak = UInt64(clamping: usage.ru_maxrss) * 1024
    return End(
      status: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
      peakResidentBytes: peak > inheritedPeak + Self.leastGrowth ? peak : nil,
      usedWithChildren: Self.nanoseconds(usage.ru_utime) + Self.nanoseconds(usage.ru_stime))
  }

  /// A peak that is nearer to that of the recorder's copy may be this one's: it runs on to its exec, and the kernel's
  /// counts of pages, which each CPU gathers by itself, are off by some hundred kilobytes.
  private static let leastGrowth: UInt64 = 2 << 20

  private static func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
  }

  /// Sends the command a signal, unless it has ended.
  func signal(_ number: Int32) {
    guard !isReaped else { return }
    if pidfd < 0 || lull_pidfd_send_signal(pidfd, number) == -ENOSYS { kill(child.pid, number) }
  }
}
