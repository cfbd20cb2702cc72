import Foundation
import Reporting
import Rules
import TestSupport
import Testing

@testable import Budgets

/// The outputs as programs read them that are not ours.
@Suite struct OutputTests {
  static let hostile = "a <b> & \"c\" | `d` % \u{1B}[31m\u{7}\n::error::e, f"

  /// One budget of each verdict, names that mean mischief, and a place in the code.
  static func check() throws -> CheckResult {
    let frame = StackFrameSample.frame
    let run = try SampleRuns.run { report in
      report.signals.memory = nil
      if let index = report.audits.firstIndex(where: { $0.id == "polling-timers" }) {
        report.audits[index].evidence = [Evidence(summary: hostile, stack: [frame])]
      }
      report.signals.disk?.files[0].path = hostile
      report.trace.path = hostile
    }
    return try SampleRuns.check(
      """
      [[budget]]
      path = "signals.wakeups.total"
      max = 1
      note = '''\(hostile)'''
      [[budget]]
      path = "signals.memory.peakFootprintBytes"
      max = 1
      [[budget]]
      path = "signals.disk.files.*.writes"
      max = 3
      level = "warn"
      [[budget]]
      path = "signals.disk.syncs"
      max = 100
      """.replacing("\u{1B}", with: "").replacing("\u{7}", with: ""), [run])
  }

  static let places = ProjectPlaces(root: "/src", budget: "/src/lull.toml") { _ in false }

  @Test(.enabled(if: Python.has("junitparser"), Python.missing("junitparser")))
  func `junitparser reads the cases with their outcomes`() throws {
    let script = """
      import sys, junitparser
      suites = junitparser.JUnitXml.fromstring(sys.stdin.buffer.read())
      for suite in suites:
        print(suite.tests, suite.failures, suite.errors, suite.skipped)
        for case in suite:
          print(case.classname, type(case.result[0]).__name__ if case.result else "pass")
      """
    let output = try Python.output(script, input: JUnitReport.render(Self.check()))
    #expect(
      output.split(separator: "\n") == [
        "4 1 1 1", "lull Failure", "lull Error", "lull Skipped", "lull pass",
      ])
  }

  @Test(.enabled(if: Python.has("pydantic_sarif"), Python.missing("pydantic_sarif")))
  func `SARIF is what its schema asks for, with file and line`() throws {
    // The classes were made from the schema of SARIF 2.1.0 and refuse what it does not allow.
    let script = """
      import sys
      from pydantic_sarif import model
      log = model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(sys.stdin.read())
      for result in log.runs[0].results:
        place = result.locations[0].physicalLocation
        print(result.ruleId, result.level.value, result.kind.value, place.artifactLocation.uri,
          place.region.startLine)
      """
    let output = try Python.output(
      script, input: try SARIFReport.render(Self.check(), places: Self.places))
    #expect(
      output.split(separator: "\n") == [
        "polling-timers error fail Sources/App/Poller.swift 42",
        "signals.memory.peakFootprintBytes none open lull.toml 6",
        "write-frequency warning fail lull.toml 9",
      ], "\(output)")
  }

  @Test(
    .enabled(if: Python.has("prometheus_client"), Python.missing("prometheus_client")))
  func `OpenMetrics is read by Prometheus' own parser`() throws {
    let script = """
      import sys
      from prometheus_client.openmetrics.parser import text_string_to_metric_families
      for family in text_string_to_metric_families(sys.stdin.read()):
        print(family.name, family.type, len(family.samples))
        for sample in family.samples:
          if sample.labels["path"] == "signals.disk.syncs":
            print(sample.name, sample.labels.get("lull_budget", ""), float(sample.value))
      """
    let output = try Python.output(script, input: OpenMetricsReport.render(Self.check()))
    #expect(
      output.split(separator: "\n") == [
        "lull_figure gauge 3", "lull_figure  12.0", "lull_budget_limit gauge 4",
        "lull_budget_limit  100.0", "lull_budget stateset 12", "lull_budget fail 0.0",
        "lull_budget inconclusive 0.0", "lull_budget pass 1.0",
      ], "\(output)")
  }

  @Test(
    .enabled(if: Python.has("prometheus_client"), Python.missing("prometheus_client")))
  func `a report's OpenMetrics is read by Prometheus' own parser, without what was not measured`()
    throws
  {
    let run = try SampleRuns.run { report in
      report.process.name = Self.hostile
      report.signals.memory = nil
    }
    let script = """
      import sys
      from prometheus_client.openmetrics.parser import text_string_to_metric_families
      for family in text_string_to_metric_families(sys.stdin.read()):
        print(family.name, family.type, len(family.samples) > 20)
        for sample in family.samples:
          path = sample.labels.get("path", "")
          if path in ("signals.disk.syncs", "trace.durationSeconds") or ".memory." in path:
            print(path, sample.labels["unit"], float(sample.value))
      """
    let output = try Python.output(script, input: OpenMetricsReport.render(run.report))
    let syncs = try #require(run.report.signals.disk?.syncs)
    #expect(
      output.split(separator: "\n").map(String.init) == [
        "lull_recording info False", "lull_figure gauge True",
        "trace.durationSeconds s \(run.report.trace.durationSeconds)",
        "signals.disk.syncs  \(Double(syncs))",
      ], "\(output)")
  }

  @Test func `GitLab's report has what GitLab asks for`() throws {
    let text = try GitLabReport.render(Self.check(), places: Self.places)
    let issues = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(issues.count == 3)
    #expect(Set(issues.compactMap { $0["fingerprint"] as? String }).count == 3)
    #expect(issues.map { $0["severity"] as? String } == ["major", "info", "minor"])
    let location = try #require(issues[0]["location"] as? [String: Any])
    #expect(location["path"] as? String == "Sources/App/Poller.swift")
    #expect((location["lines"] as? [String: Any])?["begin"] as? Int == 42)
    let again = try GitLabReport.render(Self.check(), places: Self.places)
    #expect(again == text)
  }

  @Test func `annotations cannot be forged by names, and are no more than GitHub shows`() throws {
    var check = try Self.check()
    let lines = GitHubAnnotations.render(check, places: Self.places).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("::error file=Sources/App/Poller.swift,line=42,title=Lull%3A "))
    #expect(lines.allSatisfy { $0.hasPrefix("::error ") || $0.hasPrefix("::warning ") })
    check.results = Array(repeating: check.results[0], count: 25)
    let many = GitHubAnnotations.render(check, places: Self.places).split(separator: "\n")
    #expect(many.count == 10)
    #expect(many[9].contains("and 16 more"))
  }

  // Terminals act on what a thread or a file was called; logs of jobs are read there too.
  @Test func `no output holds a raw escape, to its last line`() throws {
    var check = try Self.check()
    check.results[0].path = "signals.disk.files.\"\(Self.hostile)\".writes"
    check.results[0].message = Self.hostile
    check.results = Array(repeating: check.results[0], count: 25)
    let outputs = [
      OpenMetricsReport.render(check), GitHubAnnotations.render(check, places: Self.places),
      try GitLabReport.render(check, places: Self.places), CheckMarkdown.render(check),
    ]
    for output in outputs {
      let raw = output.unicodeScalars.first {
        $0.properties.generalCategory == .control && $0 != "\n"
      }
      #expect(raw == nil && output.contains("x1B"), "\(output.prefix(300))")
    }
    #expect(outputs[1].split(separator: "\n").allSatisfy { $0.hasPrefix("::") })
  }

  @Test func `Markdown keeps to its size and its table`() throws {
    var check = try Self.check()
    let text = CheckMarkdown.render(check)
    #expect(text.contains("Poller.look() (Poller.swift:42)"))
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(rows.count == 6)
    #expect(rows.allSatisfy { $0.replacing("\\|", with: "").count { $0 == "|" } == 6 })
    #expect(!text.contains("\u{1B}") && !text.contains("<b>"))
    check.results = Array(repeating: check.results[0], count: 5000)
    for limit in [CheckMarkdown.commentBytes, 2000] {
      let cut = CheckMarkdown.render(check, limit: limit)
      #expect(cut.utf8.count <= limit)
      #expect(cut.contains("budgets more."))
    }
  }

  @Test func `places are those of the project, wherever it was built`() throws {
    var result = try #require(try Self.check().results.first)
    let moved = ProjectPlaces(root: "/home/me/app/", budget: "lull.toml") {
      $0 == "/home/me/app/Sources/App/Poller.swift"
    }
    #expect(moved.place(of: result) == SourcePlace(file: "Sources/App/Poller.swift", line: 42))
    result.blame?.file = "/usr/lib/other.swift"
    #expect(moved.place(of: result) == SourcePlace(file: "lull.toml", line: 1))
    result.blame = nil
    #expect(moved.place(of: result).file == "lull.toml")
    #expect(URIPath.encoded("a b/ü.swift") == "a%20b/%C3%BC.swift")
  }
}
