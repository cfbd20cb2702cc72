import Files
import Glibc
import Reporting

/// What Lull says: results on standard output, all else on standard error.
enum Console {
  /// A result; a reader that has gone away is no error.
  static func output(_ text: String) { output(Array(text.utf8)) }

  /// Writes to standard output; a closed pipe ends the program as if it were done.
  static func output(_ bytes: [UInt8]) {
    let code = OutputFile.writeAll(bytes, to: STDOUT_FILENO)
    switch code {
    case 0: return
    case EPIPE: exit(0)
    default:
      error("cannot write to standard output: \(String(cString: strerror(code))); make room")
      exit(Exit.inputOutput)
    }
  }

  /// Text that is already fit to be shown, such as a report.
  static func status(_ text: String) {
    _ = OutputFile.writeAll(Array(text.utf8), to: STDERR_FILENO)
  }

  /// One line about what went wrong; names in it cannot act on the terminal.
  static func error(_ message: String) {
    if LogFormat.wanted == .json { return log("error", message) }
    status("lull: \(shown(message))\n")
  }

  /// One line about what goes on.
  static func notice(_ message: String) {
    if LogFormat.wanted == .json { return log("notice", message) }
    let lines = Columns.wrap(shown(message), to: 74)
    status(lines.enumerated().map { ($0 == 0 ? "lull: " : "      ") + $1 + "\n" }.joined())
  }

  /// The report at the end of a recording, which no log holds as text.
  static func report(_ report: Report, text: String) {
    guard LogFormat.wanted == .json else { return status("\n" + text) }
    log("report", text.split(separator: "\n").dropFirst().first.map(String.init) ?? "", report)
  }

  private static func log(_ level: String, _ message: String, _ report: Report? = nil) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = UInt64(max(now.tv_sec, 0)) * 1_000_000_000 + UInt64(max(now.tv_nsec, 0))
    status(LogLine(level: level, message: message, nanoseconds: time, report: report).text)
  }

  /// Several lines about what is wrong, each made harmless.
  static func lines(_ text: String) {
    if LogFormat.wanted == .json { return log("error", text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    status(lines.map { shown(String($0)) }.joined(separator: "\n") + "\n")
  }

  /// Whether colours are wanted on a descriptor: a terminal, and nobody objects.
  static func isColored(_ descriptor: Int32) -> Bool {
    guard isatty(descriptor) == 1 else { return false }
    if let setting = getenv("NO_COLOR"), setting.pointee != 0 { return false }
    if let terminal = getenv("TERM"), String(cString: terminal) == "dumb" { return false }
    return true
  }

  /// Writes that fail are reported, they do not kill.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Beyond `ulimit -f` a write fails like one to a full disk. Caught rather than ignored: programs inherit that.
  static func surviveFileSizeLimit() { signal(SIGXFSZ) { _ in } }

  /// Escapes what could mislead, but leaves backslashes: messages quote no escapes of their own.
  private static func shown(_ text: String) -> String {
    Escaped.text(text).replacing("\\\\", with: "\\")
  }
}
