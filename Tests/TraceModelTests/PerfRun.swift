import Foundation
import TestSupport

/// Runs perf where there is tracefs.
enum PerfRun {
  /// The output, or what it says of an error.
  static func run(_ command: String) -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let tracefs = "/sys/kernel/tracing"
    process.arguments = [
      "unshare", "-m", "sh", "-c",
      "{ test -d \(tracefs)/events || mount -t tracefs none \(tracefs); } && \(command)",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return (127, "") }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  static let isThere = run("perf --version").status == 0

  static let canRecord: Bool = {
    guard isThere, let directory = try? TemporaryDirectory() else { return false }
    defer { directory.remove() }
    return run("perf record -q -e sched:sched_switch -o \(directory.path)/t true").status == 0
  }()

  /// `Traces/`.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Traces").standardizedFileURL.path

  /// Of `Traces/` those that hold an event, by the name that perf gives it; perf refuses what was cut.
  static func traces(with event: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().filter { name in
      guard name.hasSuffix(".perf.data"), !name.contains("-cut.") else { return false }
      let events = run("perf script -i \(folder)/\(name) -F event")
      return events.text.contains("\(event):")
    }
  }
}
