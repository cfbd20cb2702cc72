import Foundation
import Testing

@testable import Reporting

/// The page's script, read by ESLint with the rules of this repository.
@Suite struct ScriptLintTests {
  static let eslint = "/usr/bin/eslint"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: eslint),
      "eslint is not installed; apt-get install eslint"))
  func `ESLint finds nothing in the script`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "lull-lint-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = folder.appendingPathComponent("page.js")
    try PageAssets.script.write(to: script, atomically: true, encoding: .utf8)
    let rules = folder.appendingPathComponent("rules.json")
    try FileManager.default.copyItem(at: root.appendingPathComponent(".eslintrc.json"), to: rules)
    let process = Process()
    process.currentDirectoryURL = folder
    process.executableURL = URL(fileURLWithPath: Self.eslint)
    // Unlike the usual format this one needs no package that Debian only recommends.
    process.arguments = [
      "--no-eslintrc", "--config", rules.path, "--format", "unix", "page.js",
    ]
    // Debian keeps the modules here; another Node.js than Debian's does not look there by itself.
    process.environment = ProcessInfo.processInfo.environment.merging([
      "NODE_PATH": "/usr/share/nodejs"
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
  }
}
