import Dispatch
import Glibc
import Quantities
import Recording
import Synchronization

/// A line on the terminal about what takes longer than a second; it is gone when that is done.
///
/// Nothing is said where standard error is no terminal: a log is no place for a line that changes.
final class Progress: Sendable {
  private struct Line {
    var text: String
    var isShown = false
    var isOver = false
  }

  private let line: Mutex<Line>
  private let began = ContinuousClock.now

  private init(_ text: String) {
    line = Mutex(Line(text: text))
    show(after: 1)
  }

  /// Does the work, with a line about it where it takes long and somebody looks.
  static func during<Outcome>(
    _ text: String, isWanted: Bool = true, _ work: () throws -> Outcome
  ) rethrows -> Outcome {
    guard isWanted, isPossible else { return try work() }
    let progress = Progress(text)
    defer { progress.end() }
    return try work()
  }

  /// Whether a line that is written over is of use: a terminal that can.
  static var isPossible: Bool {
    guard isatty(STDERR_FILENO) == 1, LogFormat.wanted == .text else { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }

  private func show(after seconds: Double) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.show()
      self?.show(after: 0.5)
    }
  }

  private func show() {
    let seconds = Int((ContinuousClock.now - began).components.seconds)
    line.withLock { line in
      guard !line.isOver else { return }
      line.isShown = true
      Self.write("lull: \(line.text), \(seconds) s")
    }
  }

  private func end() {
    line.withLock { line in
      line.isOver = true
      if line.isShown { Self.clear() }
    }
  }

  /// Writes a line in the place of the last one, no longer than the terminal is wide.
  static func write(_ text: String) {
    var size = winsize()
    let width = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    Console.status("\r\u{1B}[K" + text.prefix(max(20, width == 0 ? 79 : width - 1)))
  }

  /// Takes the line away.
  static func clear() { Console.status("\r\u{1B}[K") }
}

extension RecordingProgress {
  /// What `record` shows of a process that goes on by itself.
  var line: String {
    "lull: recorded \(Figures.seconds(seconds)), \(Figures.count(records, "event")), \(Figures.bytes(bytes));"
      + " Ctrl-C ends it"
  }
}
