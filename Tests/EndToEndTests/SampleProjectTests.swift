import Foundation
import Testing

extension EndToEnd {
  /// A project with a budget, and a pull request that breaks it.
  @Suite struct SampleProject {
    private static let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("SampleProject")

    /// Builds a copy of the project, with the pull request or without.
    private func build(_ scratch: Scratch, withPullRequest: Bool) throws {
      let project = URL(fileURLWithPath: scratch.file("journal"))
      let files = FileManager.default
      if !files.fileExists(atPath: project.path) {
        try files.copyItem(at: Self.source, to: project)
      }
      for name in ["Journal.swift", "News.swift"] {
        let target = project.appendingPathComponent("Sources/journal/\(name)")
        let origin = Self.source.appendingPathComponent(
          withPullRequest ? "PullRequest/\(name)" : "Sources/journal/\(name)")
        try files.removeItem(at: target)
        try Data(contentsOf: origin).write(to: target)
      }
      let result = try Command.run(
        ["swift", "build", "-c", "release", "--package-path", project.path], limit: 400)
      try #require(result.status == 0, "\(result.text)\(result.errors)")
    }

    private func check(_ scratch: Scratch) throws -> (result: CommandResult, json: JSON) {
      let json = scratch.file("check-\(UUID().uuidString).json")
      let result = try Command.run(
        [
          Machine.lull, "check", "--run", "--budget", scratch.file("journal/lull.toml"),
          "--json", json,
        ], limit: 120)
      guard let data = FileManager.default.contents(atPath: json) else {
        return (result, JSON(nil))
      }
      return (result, try JSON(parsing: data))
    }

    @Test(.enabled(if: Machine.tool("swift") != nil, "needs swift to build the project"))
    func `the pull request fails with both places named, and passes without it ten times`() throws {
      let scratch = try Scratch()
      try build(scratch, withPullRequest: true)
      let (broken, report) = try check(scratch)
      #expect(broken.status == 2, "\(broken.text)\(broken.errors)")
      let failed = report["results"].items.filter { $0["verdict"].string == "fail" }
      #expect(
        Set(failed.compactMap { $0["path"].string })
          == ["signals.disk.syncs", "audits.polling-timers.value"])
      let syncs = failed.first { $0["path"].string == "signals.disk.syncs" } ?? JSON(nil)
      #expect(syncs["measured"].double == 40)
      let places = [
        "signals.disk.syncs": "Journal.swift", "audits.polling-timers.value": "News.swift",
      ]
      for result in failed {
        let file = result["blame"]["file"].string ?? "nothing"
        let expected = places[result["path"].string ?? ""] ?? "?"
        #expect(file.hasSuffix("/Sources/journal/\(expected)"), "\(result)")
        let line = try #require(result["blame"]["line"].int)
        let text = try String(
          contentsOf: Self.source.appendingPathComponent("PullRequest/\(expected)"), encoding: .utf8
        )
        let lines = text.components(separatedBy: "\n")
        try #require(lines.indices.contains(line - 1), "line \(line) of \(expected)")
        #expect(lines[line - 1].contains(expected == "News.swift" ? "sleep(1)" : "fsync("))
      }
      try build(scratch, withPullRequest: false)
      for round in 1...10 {
        let good = try check(scratch).result
        #expect(good.status == 0, "round \(round): \(good.text)\(good.errors)")
      }
    }
  }
}
