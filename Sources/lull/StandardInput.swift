import Files
import Glibc
import Synchronization

/// Standard input as a trace: `-` where one is named.
///
/// A trace is read from more than one place at a time, so what comes is kept in a file without a name first.
enum StandardInput {
  /// The file's path, once there is one.
  private static let kept = Mutex<String?>(nil)

  /// The paths, with a file's in the place of `-`.
  static func resolve(_ paths: [String]) throws -> [String] {
    guard paths.contains("-") else { return paths }
    guard paths.filter({ $0 == "-" }).count == 1 else {
      throw Failure(status: Exit.usage, message: "standard input is one trace: give - once")
    }
    let path = try spool()
    return paths.map { $0 == "-" ? path : $0 }
  }

  /// Whether it is what standard input was kept in, which has no name that its user knows.
  static func isKept(_ path: String) -> Bool { kept.withLock { $0 == path } }

  /// A message with the name that its user knows.
  static func named(in message: String) -> String {
    guard let path = kept.withLock({ $0 }) else { return message }
    let parts = message.split(separator: path, omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts.first ?? "")) { named, part in
      // One with more digits is another descriptor's.
      named + (part.first?.isNumber == true ? path : "standard input") + part
    }
  }

  private static func spool() throws -> String {
    if isatty(STDIN_FILENO) == 1 {
      throw Failure(
        status: Exit.usage, message: "standard input is a terminal: pipe a trace into it")
    }
    let folder = TemporaryFolder.path
    var name = Array((folder + "/lull-XXXXXX").utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { throw failure("make a file in \(folder)") }
    unlink(name)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw failure("read standard input")
      }
      var done = 0
      while done < count {
        let written = buffer.withUnsafeBytes { bytes in
          write(file, bytes.baseAddress.map { $0 + done }, count - done)
        }
        guard written > 0 else { throw failure("keep standard input in \(folder)") }
        done += written
      }
    }
    let path = "/proc/self/fd/\(file)"
    kept.withLock { $0 = path }
    return path
  }

  private static func failure(_ what: String) -> Failure {
    Failure(
      status: Exit.inputOutput, message: "cannot \(what): \(String(cString: strerror(errno)))")
  }
}
