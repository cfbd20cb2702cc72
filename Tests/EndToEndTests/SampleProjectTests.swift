import Foundation
import Testing

extension SideBySide {
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

    private func check(
      _ scratch: Scratch, in place: [String] = [], options: [String] = []
    ) throws -> (result: CommandResult, json: JSON) {
      let json = scratch.file("check-\(UUID().uuidString).json")
      let result = try Command.run(
        place + [
          Machine.lull, "check", "--run", "--budget", scratch.file("journal/lull.toml"),
          "--json", json,
        ] + options, limit: 120)
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

    /// As GitHub's and GitLab's runners have it, where nothing more was asked for.
    @Test(
      .enabled(if: Machine.tool("swift") != nil, "needs swift to build the project"),
      .enabled(if: Rung.areThere, Rung.needsTools))
    func `in a container without privileges it fails with both places named as well`() throws {
      let scratch = try Scratch()
      let place = Rung.dockerRoot.words(writingTo: scratch)
      func release() throws {
        try #require(try Command.run(["chmod", "-R", "a+rwX", scratch.path]).status == 0)
      }
      try build(scratch, withPullRequest: true)
      try release()
      let (broken, report) = try check(scratch, in: place, options: ["--github"])
      #expect(broken.status == 2, "\(broken.text)\(broken.errors)")
      let failed = report["results"].items.filter { $0["verdict"].string == "fail" }
      #expect(
        Set(failed.compactMap { $0["path"].string })
          == ["signals.disk.syncs", "audits.polling-timers.value"], "\(report)")
      let syncs = failed.first { $0["path"].string == "signals.disk.syncs" }
      #expect(syncs?["measured"].double == 40)
      for name in ["Journal.swift", "News.swift"] {
        #expect(failed.contains { $0["blame"]["file"].string?.hasSuffix("/\(name)") == true })
        #expect(
          broken.text.split(separator: "\n").contains {
            $0.hasPrefix("::error file=") && $0.contains(name)
          }, "\(broken.text)")
      }
      try build(scratch, withPullRequest: false)
      try release()
      let good = try check(scratch, in: place).result
      #expect(good.status == 0, "\(good.text)\(good.errors)")
    }

    @Test(.enabled(if: Rung.areThere, Rung.needsTools))
    func `what was recorded with all rights is no baseline in a container`() throws {
      let scratch = try Scratch()
      let budget = """
        [settings]
        baseline = "baseline.json"
        [[budget]]
        path = "signals.disk.syncs"
        change = { relative = 0.1 }
        """
      try Data(budget.utf8).write(to: URL(fileURLWithPath: scratch.file("lull.toml")))
      func check(in place: [String], _ options: [String]) throws -> CommandResult {
        let trace = scratch.file("t")
        let recorded = try Command.run(
          place + [Machine.lull, "record", "-q", "--force", "-o", trace, "--"]
            + [Machine.workload, "atomic-saver", "times=3", "path=\(scratch.file("saved"))"])
        #expect(recorded.status == 0, "\(recorded.errors)")
        return try Command.run(
          [Machine.lull, "check", "--budget", scratch.file("lull.toml"), trace] + options)
      }
      #expect(try check(in: [], ["--update-baseline"]).status == 0)
      #expect(try check(in: [], []).status == 0)
      unlink(scratch.file("saved"))
      unlink(scratch.file("t"))
      let refused = try check(in: Rung.dockerUser.words(writingTo: scratch), [])
      #expect(refused.status == 3, "\(refused.text)")
      let words = refused.text.split { " \n".contains($0) }.joined(separator: " ")
      #expect(
        words.contains("the privilege root")
          && words.contains(" became user, recorded within the process"),
        "\(refused.text)")
    }
  }
}
