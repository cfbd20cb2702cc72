import Foundation
import TestSupport
import Testing

@testable import Budgets

/// What the README gives to copy.
@Suite struct ReadmeTests {
  /// The blocks of the README in a language.
  static func blocks(_ language: String) throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  @Test func `every budget file in the README is understood`() throws {
    let files = try Self.blocks("toml")
    #expect(files.count >= 2)
    for text in files {
      let file = try BudgetParser.parse(text, path: "README.md")
      #expect(!file.budgets.isEmpty)
    }
  }

  @Test(
    .enabled(if: Python.has("check_jsonschema"), Python.missing("check_jsonschema")),
    arguments: [("on: pull_request", "vendor.github-workflows"), ("script:", "vendor.gitlab-ci")])
  func `the workflows keep to the schemas of GitHub and GitLab`(
    mark: String, schema: String
  ) throws {
    let text = try #require(try Self.blocks("yaml").first { $0.contains(mark) })
    let script = """
      import subprocess, sys, tempfile
      with tempfile.NamedTemporaryFile(suffix=".yml") as file:
        file.write(sys.stdin.buffer.read())
        file.flush()
        sys.exit(subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema",
          "\(schema)", file.name]).returncode)
      """
    let output = try Python.output(script, input: text)
    #expect(output.contains("ok"))
  }
}
