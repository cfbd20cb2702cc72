import Glibc

/// A program that Lull starts beside itself, such as another Lull that records.
struct Subprogram {
  let pid: pid_t

  /// Starts a program; its output goes to a file or into memory where one is given, and it has no input then.
  init(
    _ words: [String], directory: String? = nil, environment: [String: String] = [:],
    log: String? = nil, printed: PrintedText? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let log {
      posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    } else if let printed {
      posix_spawn_file_actions_adddup2(&actions, printed.descriptor, 1)
    }
    if log != nil || printed != nil {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // SIGPIPE is ignored here; a program must not inherit that.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let inFolder = directory.map { ["env", "-C", $0] } ?? []
    let words = inFolder + words
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables = Self.variables(with: environment).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var child: pid_t = 0
    let code = posix_spawnp(
      &child, words.first ?? "", &actions, &attributes, &arguments, &variables)
    guard code == 0 else {
      throw Failure(
        status: code == ENOENT ? Exit.usage : Exit.inputOutput,
        message: "cannot start \(words.first ?? ""): \(String(cString: strerror(code)))")
    }
    pid = child
  }

  /// Waits for its end; 128 + n stands for signal n.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      if errno != EINTR { return 127 }
      if let number = Interruption.forwarded { kill(pid, number) }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Whether it has not ended yet.
  var isRunning: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information.si_signo == 0
  }

  /// Asks it to end, makes it end five seconds later, and waits.
  @discardableResult
  func stop() -> Int32 {
    kill(pid, SIGTERM)
    for _ in 0..<500 {
      guard isRunning else { return wait() }
      usleep(10_000)
    }
    kill(pid, SIGKILL)
    return wait()
  }

  /// The program that runs now.
  static var own: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return "lull" }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func variables(with added: [String: String]) -> [String] {
    var result: [String] = []
    var entry = environ
    while let variable = entry.pointee {
      let text = String(cString: variable)
      let name = text.prefix { $0 != "=" }
      if added[String(name)] == nil { result.append(text) }
      entry += 1
    }
    return result + added.map { "\($0.key)=\($0.value)" }
  }
}
