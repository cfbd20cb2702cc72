import CPerfEvent
import Glibc

/// What a program that is recorded prints, kept in memory: into a file its output would be writes to disk that it does
/// not do by itself, which would be counted and scored.
final class PrintedText {
  let descriptor: Int32

  init() throws {
    descriptor = lull_memory_file("lull-output")
    guard descriptor >= 0 else {
      throw Failure(
        status: Exit.inputOutput,
        message: "no memory for what is printed: \(String(cString: strerror(-descriptor)))")
    }
  }

  deinit { close(descriptor) }

  /// Its last line; nil where nothing was printed.
  var lastLine: String? {
    (try? TextFile.read("/proc/self/fd/\(descriptor)"))?.split(separator: "\n").last
      .map(String.init)
  }

  /// Leaves it beside a trace.
  func keep(besides trace: String) {
    let file = open(trace + ".log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { return }
    defer { close(file) }
    // The program moved the offset that it shares to the end.
    var offset: off_t = 0
    while sendfile(file, descriptor, &offset, 1 << 30) > 0 {}
  }
}
