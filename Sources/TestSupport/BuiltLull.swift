import Foundation

/// The built `lull`, run as a user runs it.
package enum BuiltLull {
  /// What came of a run.
  package struct Result: Sendable {
    package var status: Int32
    /// Whether a signal ended it.
    package var died: Bool
    package var output: String
    package var errors: String
  }

  /// Beside the test bundle; nil where only this target was built.
  package static let path: String? = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<5 {
      for name in ["lull", "debug/lull", "release/lull"] {
        let candidate = folder.appendingPathComponent(name).path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder),
          !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: candidate)
        {
          return candidate
        }
      }
      folder.deleteLastPathComponent()
    }
    return nil
  }()

  /// Before a command: it may list only those folders that their permissions let it, as others than root.
  package static let withoutOverride: [String] =
    geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []

  /// Runs it in a folder, with nothing to read, by another command where one is given.
  package static func run(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:],
    by command: [String] = []
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command + [path ?? "lull"] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    // Files rather than pipes, which fill up when both are read in turn.
    let names = ["stdout", "stderr"].map {
      FileManager.default.temporaryDirectory.appendingPathComponent("\($0)-\(UUID().uuidString)")
    }
    for name in names { try Data().write(to: name) }
    defer { for name in names { try? FileManager.default.removeItem(at: name) } }
    process.standardOutput = try FileHandle(forWritingTo: names[0])
    process.standardError = try FileHandle(forWritingTo: names[1])
    try process.run()
    process.waitUntilExit()
    let texts = try names.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Result(
      status: process.terminationStatus, died: process.terminationReason == .uncaughtSignal,
      output: texts[0], errors: texts[1])
  }
}
