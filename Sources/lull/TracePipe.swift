import Files
import Glibc
import PerfData

/// Standard output as the place of a trace.
///
/// A trace is completed at its end, so it is kept in a file until then. What the recorded command prints goes to
/// standard error meanwhile.
struct TracePipe {
  private let output: Int32

  /// Takes standard output for the trace.
  init() throws {
    guard isatty(STDOUT_FILENO) == 0 else {
      throw Failure(
        status: Exit.usage, message: "-o - writes a trace, which is nothing for a terminal: pipe it"
      )
    }
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      throw Failure(status: Exit.inputOutput, message: "standard output is closed")
    }
  }

  /// Where the trace is until it is whole.
  static var temporaryPath: String {
    let folder = TemporaryFolder.path
    return "\(folder)/lull-\(getpid()).perf.data"
  }

  /// Writes the trace; who reads it may have had enough.
  func write(traceAt path: String) throws {
    try PipeForm.write(traceAt: path) { bytes in
      let code = OutputFile.writeAll(Array(bytes), to: output)
      guard code == 0 || code == EPIPE else {
        throw Failure(
          status: Exit.inputOutput,
          message: "cannot write to standard output: \(String(cString: strerror(code)))")
      }
    }
    close(output)
  }
}
