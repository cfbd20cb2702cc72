import Foundation

/// Programs that write files, each from a thread beside the main run loop.
enum FileWriters {
  static let appenderKeys = ["writes", "bytes", "path", "gap"]
  static let rewriterKeys = ["times", "bytes", "path", "gap", "changes"]
  static let byteWriterKeys = ["count", "path"]

  /// `appender`: a log that grows by small writes.
  static func appender(_ arguments: Arguments) throws {
    let writes = try arguments.integer("writes", 100)
    let bytes = try arguments.integer("bytes", 80)
    let gap = try arguments.number("gap", 10)
    let path = temporaryPath(arguments, "appender.log")
    runBesideMainRunLoop {
      let file = try checked(
        open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600), "open \(path)")
      let line = [UInt8](repeating: 65, count: bytes)
      for index in 0..<writes {
        if index > 0 { pause(milliseconds: gap) }
        try checked(write(file, line, bytes), "write \(path)")
      }
      close(file)
      return fileTruth("appender", path, writes: writes, bytes: writes * bytes)
    }
  }

  /// `rewriter`: a file truncated and written whole each time, of which so many bytes changed.
  static func rewriter(_ arguments: Arguments) throws {
    let times = try arguments.integer("times", 10)
    let bytes = try arguments.integer("bytes", 65_536)
    let gap = try arguments.number("gap", 50)
    let changes = try arguments.integer("changes", 1)
    let path = temporaryPath(arguments, "rewriter.dat")
    runBesideMainRunLoop {
      var content = [UInt8](repeating: 66, count: bytes)
      for index in 0..<times {
        for offset in 0..<min(changes, bytes) { content[offset] = UInt8(truncatingIfNeeded: index) }
        if index > 0 { pause(milliseconds: gap) }
        let file = try checked(
          open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600), "open \(path)")
        try checked(write(file, content, bytes), "write \(path)")
        close(file)
      }
      return fileTruth("rewriter", path, writes: times, bytes: times * bytes)
    }
  }

  /// `bytewriter`: nothing but one-byte writes, from the main thread, as fast as it goes.
  static func byteWriter(_ arguments: Arguments) throws {
    let count = try arguments.integer("count", 100_000)
    let path = arguments.text("path", "/dev/null")
    let file = try checked(
      open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600), "open \(path)")
    let byte: [UInt8] = [67]
    let start = monotonicNow()
    for _ in 0..<count { try checked(write(file, byte, 1), "write \(path)") }
    var truth = fileTruth("bytewriter", path, writes: count, bytes: count)
    truth.seconds = Double(monotonicNow() - start) / 1e9
    truth.printAndExit()
  }
}

/// The path asked for, or one of this process in /var/tmp, which is on a disk where /tmp may not be.
func temporaryPath(_ arguments: Arguments, _ name: String) -> String {
  arguments.text("path", "/var/tmp/lull-\(getpid())-\(name)")
}

func fileTruth(_ workload: String, _ path: String, writes: Int, bytes: Int) -> Truth {
  var truth = Truth(workload)
  truth.path = path
  truth.writes = writes
  truth.bytes = bytes
  truth.syncs = 0
  return truth
}
