#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Takes requests to record this program, from who knows a token: for a path that the program serves.
///
/// ```swift
/// let requests = RecordingRequests(token: secret)
/// router.post("lull") { request, _ in
///   let trace = try await requests.record(for: .seconds(10), token: request.headers[.authorization])
///   return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: trace)))
/// }
/// ```
///
/// The trace is made by the `lull` that is installed beside the program, as from a shell: what reads rings, finds names
/// and writes traces is many times as large as what is in the program, and does its work in a process of its own.
public struct RecordingRequests: Sendable {
  private let token: [UInt8]
  private let longest: Duration
  private let lull: String

  /// Requests with this token, for so long at most, are answered by the program `lull`, which is looked for in `PATH`.
  ///
  /// Nobody knows an empty token.
  public init(token: String, longest: Duration = .seconds(60), lull: String = "lull") {
    self.token = Array(token.utf8)
    self.longest = longest
    self.lull = lull
  }

  /// Why there is no trace.
  public enum Failure: Error, Sendable, Equatable {
    /// The token is another, or none was given.
    case wrongToken
    /// It is to be longer than 10 ms and not longer than is allowed.
    case wrongDuration
    /// What the recorder said, such as that the program is being recorded already.
    case refused(String)
  }

  /// Records for a time, and gives the bytes of the trace, which `lull report` reads.
  public func record(for duration: Duration, token given: String?) async throws -> [UInt8] {
    guard isToken(given) else { throw Failure.wrongToken }
    guard duration >= .milliseconds(10), duration <= longest else { throw Failure.wrongDuration }
    let folder = try TraceFolder()
    let parts = duration.components
    let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    let recorder = try Recorder(
      [
        lull, "record", "--quiet", "--no-report", "--no-children", "--pid", "\(getpid())",
        "--duration", "\(milliseconds)ms", "-o", folder.trace,
      ], output: folder.output)
    let status = try await recorder.end()
    guard status == 0, let trace = folder.bytes(of: folder.trace) else {
      let said = folder.bytes(of: folder.output).map { String(decoding: $0, as: UTF8.self) } ?? ""
      throw Failure.refused(said.isEmpty ? "\(lull) ended with status \(status)" : said)
    }
    return trace
  }

  /// Takes as long for any token of a length, so that none can be guessed byte by byte.
  private func isToken(_ given: String?) -> Bool {
    guard let given, !token.isEmpty else { return false }
    let bytes = Array(given.utf8)
    var difference = bytes.count == token.count ? 0 : 1
    for (index, byte) in bytes.enumerated() {
      difference |= Int(byte ^ token[index % token.count])
    }
    return difference == 0
  }
}

/// A folder of this user's, as long as it is needed.
private final class TraceFolder: Sendable {
  let trace: String
  let output: String
  private let path: String

  private static let places = ["/tmp", "/var/tmp", "/dev/shm"]

  init() throws {
    // A pod's root may be read-only.
    let made = Self.places.lazy.compactMap { place -> String? in
      var name = Array("\(place)/lull-agent-XXXXXX".utf8CString)
      guard mkdtemp(&name) != nil else { return nil }
      return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }.first
    guard let made else {
      let places = Self.places.joined(separator: ", ")
      throw RecordingRequests.Failure.refused("no folder for the trace can be made in \(places)")
    }
    path = made
    trace = path + "/trace"
    output = path + "/output"
  }

  deinit {
    unlink(trace)
    unlink(output)
    rmdir(path)
  }

  func bytes(of file: String) -> [UInt8]? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress! + filled, $0.count - filled)
      }
      guard count > 0 else { return nil }
      filled += count
    }
    return bytes
  }
}

/// The recorder as a process of its own.
private struct Recorder {
  private let pid: pid_t

  init(_ words: [String], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, output, O_WRONLY | O_CREAT, 0o600)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for word in arguments { free(word) } }
    var child: pid_t = 0
    let failure = posix_spawnp(&child, words[0], &actions, nil, &arguments, environ)
    guard failure == 0 else {
      throw RecordingRequests.Failure.refused(
        "\(words[0]) cannot be started: \(String(cString: strerror(failure)))")
    }
    pid = child
  }

  /// Waits for its end without a thread for that; who stops waiting ends the recording.
  func end() async throws -> Int32 {
    var status: Int32 = 0
    while true {
      let ended = waitpid(pid, &status, WNOHANG)
      // Where the program lets somebody else wait for its children, the trace alone tells.
      if ended < 0, errno != EINTR { return 0 }
      if ended == pid { return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f) }
      do { try await Task.sleep(for: .milliseconds(20)) } catch {
        kill(pid, SIGTERM)
        waitpid(pid, nil, 0)
        throw error
      }
    }
  }
}
