import Dispatch
import Files
import Glibc
import Synchronization

/// Reads module files in a process of its own, which is started anew when a file has been the end of it.
///
/// Not for use by two threads at once.
public final class ReaderProcess {
  /// The process that reads, while there is one.
  var identifier: pid_t? { child?.pid }

  private struct Child {
    var pid: pid_t
    var socket: Int32
  }

  let cache: CacheFolder?
  private let executable: String
  private let arguments: [String]
  private let timeout: Double
  private var child: Child?
  private var generation = 0
  /// Files whose reading failed half-way, with the reason.
  private(set) var failures: [String: String] = [:]

  /// One reply at most; the tables of the largest programs take some hundred megabytes.
  private static let largestReply = 4 << 30

  private static let standardExecutable = Mutex<String?>(nil)
  private static let standardCache = Mutex<CacheFolder?>(nil)

  /// Makes every analysis of this process read files in a process of its own.
  ///
  /// `executable` must call `ReaderService.run()` when its first argument is the service's.
  public static func enable(executable: String = "/proc/self/exe") {
    standardExecutable.withLock { $0 = executable }
  }

  /// What is read is kept there from now on.
  package static func keep(in cache: CacheFolder?) { standardCache.withLock { $0 = cache } }

  /// A process if that was enabled.
  public static var standard: ReaderProcess? {
    standardExecutable.withLock { $0 }.map {
      ReaderProcess(executable: $0, cache: standardCache.withLock { $0 })
    }
  }

  /// A process that is started at the first use; `timeout` is in seconds for each request.
  public convenience init(
    executable: String, arguments: [String] = [ReaderService.argument], timeout: Double = 60
  ) {
    self.init(executable: executable, arguments: arguments, timeout: timeout, cache: nil)
  }

  /// The same, which asks for nothing that an earlier one has kept in `cache`.
  package init(
    executable: String, arguments: [String] = [ReaderService.argument], timeout: Double = 60,
    cache: CacheFolder?
  ) {
    self.cache = cache
    self.executable = executable
    self.arguments = arguments
    self.timeout = timeout
  }

  deinit {
    guard let child else { return }
    close(child.socket)
    kill(child.pid, SIGKILL)
    // Its tables of some hundred megabytes take a while to be given back: nobody waits for that.
    DispatchQueue.global().async { [pid = child.pid] in
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Opens a module; what goes wrong later costs only its tables.
  func open(path: String, expectedBuildID: [UInt8]?) throws(ModuleReaderError)
    -> any ModuleContents
  {
    let kept = cache.flatMap {
      KeptModule(in: $0, path: path, buildID: expectedBuildID, reader: executable)
    }
    if let kept, let header = kept.header {
      return RemoteContents(
        process: self, path: path, expectedBuildID: expectedBuildID, header: header, kept: kept)
    }
    let opened = try handle(path: path, expectedBuildID: expectedBuildID)
    kept?.keep(opened.header)
    return RemoteContents(
      process: self, path: path, expectedBuildID: expectedBuildID, header: opened.header,
      kept: kept, handle: opened)
  }

  /// A module's number in the present child.
  struct Handle {
    var number: UInt32
    var generation: Int
    var header: ModuleHeader
  }

  func handle(path: String, expectedBuildID: [UInt8]?) throws(ModuleReaderError)
    -> Handle
  {
    var writer = WireWriter()
    writer.put(ReaderRequest.open.rawValue)
    writer.put(path)
    writer.put(expectedBuildID ?? [])
    guard let reply = exchange(writer.bytes, path: path) else {
      throw .unsupported(path: path, reason: failures[path] ?? "could not be read")
    }
    var reader = WireReader(reply)
    let refusal: ModuleReaderError
    do throws(WireError) {
      let code = try reader.number(UInt8.self)
      if code == 0 {
        let number = try reader.number(UInt32.self)
        return Handle(
          number: number, generation: generation, header: try ModuleHeader(from: &reader))
      }
      refusal = try ModuleReaderError(code: code, from: &reader)
    } catch {
      refusal = .unsupported(path: path, reason: "its reader's answer made no sense")
    }
    throw refusal
  }

  func isCurrent(_ handle: Handle) -> Bool {
    handle.generation == generation && child != nil
  }

  /// One request and its answer; nil when the child did not survive it, which is noted.
  func exchange(_ request: [UInt8], path: String) -> [UInt8]? {
    guard let child = child ?? start() else {
      failures[path] = "no process to read it in could be started"
      return nil
    }
    let deadline = SocketMessage.now() + timeout
    if SocketMessage.send(child.socket, request, deadline: deadline),
      let reply = SocketMessage.receive(
        child.socket, limit: Self.largestReply, deadline: deadline)
    {
      return reply
    }
    let isLate = SocketMessage.now() >= deadline
    let end = stop()
    failures[path] =
      if isLate {
        "reading it took longer than \(Int(timeout)) s"
      } else if end == Self.text(SIGBUS) {
        // It is mapped.
        "it was made shorter while it was read, or its disk fails"
      } else {
        "reading it ended in \(end); the file is damaged or made to do harm"
      }
    return nil
  }

  /// Notes an answer that makes no sense, and does not trust the child any further.
  func distrust(path: String) {
    failures[path] = "its reader's answer made no sense"
    stop()
  }

  /// Notes why nothing more is learned of a file.
  func noteFailure(_ reason: String, path: String) { failures[path] = reason }

  private func start() -> Child? {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in Int32(0)...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    if ends[1] == ReaderService.descriptor {
      // Duplicating a descriptor onto itself would leave it to be closed; go by a third.
      posix_spawn_file_actions_adddup2(&actions, ends[1], ReaderService.descriptor + 1)
      posix_spawn_file_actions_adddup2(
        &actions, ReaderService.descriptor + 1, ReaderService.descriptor)
      posix_spawn_file_actions_addclose(&actions, ReaderService.descriptor + 1)
    } else {
      posix_spawn_file_actions_adddup2(&actions, ends[1], ReaderService.descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The terminal's Ctrl-C is for the recording.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    // A crash is expected here and nobody's to look into.
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), strdup("LANG=C"), nil]
    if let path = getenv("LD_LIBRARY_PATH") {
      environment.insert(strdup("LD_LIBRARY_PATH=" + String(cString: path)), at: 0)
    }
    defer { for text in words + environment { free(text) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, executable, &actions, &attributes, &words, &environment) == 0 else {
      close(ends[0])
      return nil
    }
    generation += 1
    let started = Child(pid: pid, socket: ends[0])
    child = started
    return started
  }

  /// Ends the child; says how it ended, if it had by itself.
  @discardableResult
  private func stop() -> String {
    guard let child else { return "no process" }
    self.child = nil
    close(child.socket)
    var status: Int32 = 0
    // It ends by itself when it is between requests, or has crashed; else it is in the midst of one.
    for _ in 0..<20 {
      let ended = waitpid(child.pid, &status, WNOHANG)
      if ended == child.pid { return Self.text(status) }
      if ended < 0, errno != EINTR { return "an unknown way" }
      usleep(1_000)
    }
    kill(child.pid, SIGKILL)
    while waitpid(child.pid, &status, 0) < 0, errno == EINTR {}
    return Self.text(status)
  }

  private static func text(_ status: Int32) -> String {
    let signal = status & 0x7f
    if signal == 0 { return "exit status \((status >> 8) & 0xff)" }
    return signal == SIGKILL || signal == SIGXCPU ? "its limits" : "signal \(signal)"
  }
}
