import Foundation
import Testing

/// A Python with the readers of our outputs that others wrote.
///
/// `LULL_TEST_PYTHON` names it where it is not the one on the search path.
public enum Python {
  public static let path = ProcessInfo.processInfo.environment["LULL_TEST_PYTHON"] ?? "python3"

  /// Whether it is there and has a module.
  public static func has(_ module: String) -> Bool {
    (try? run("import \(module)").status) == 0
  }

  public static func missing(_ module: String) -> Comment {
    "reads the output with Python's \(module), which is not installed; see .ci/run"
  }

  /// Runs a script; its standard input is the text.
  public static func run(_ script: String, input: String = "") throws -> (
    status: Int32, output: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [path, "-c", script]
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lull-python-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (given, said) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
    try Data(input.utf8).write(to: given)
    try Data().write(to: said)
    process.standardInput = try FileHandle(forReadingFrom: given)
    let output = try FileHandle(forWritingTo: said)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: said, encoding: .utf8))
  }

  /// What a script that succeeds prints; where it fails, the test does.
  public static func output(_ script: String, input: String) throws -> String {
    let result = try run(script, input: input)
    try #require(result.status == 0, "\(result.output)")
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
