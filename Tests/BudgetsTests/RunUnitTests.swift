import Testing

@testable import Budgets
@testable import Reporting

/// What a rule counts by the run is told so wherever it stands: the unit is the report's, not the catalogue's.
@Suite struct RunUnitTests {
  private static let path = "audits.polling-timers.value"

  /// A tool's run in which so many timed waits expired.
  private static func tool(_ value: Double = 50, unit: String = "1/run") throws -> Run {
    try SampleRuns.run { report in
      for index in report.audits.indices where report.audits[index].id == "polling-timers" {
        report.audits[index].value = value
        (report.audits[index].unit, report.audits[index].status) = (unit, .fail)
      }
    }
  }

  // "FAIL 50/s, the limit is 10/s" was said of fifty in the run.
  @Test func `a check tells it by the run, in every form`() throws {
    let check = try SampleRuns.check(
      "[[budget]]\npath = \"\(Self.path)\"\nmax = 10\n", [try Self.tool()])
    #expect(check.results.first?.unit == "1/run")
    let places = ProjectPlaces(root: "/", budget: "b") { _ in false }
    let forms = [
      CheckText.render(check), JUnitReport.render(check), CheckMarkdown.render(check),
      try SARIFReport.render(check, places: places), try GitLabReport.render(check, places: places),
      GitHubAnnotations.render(check, places: places), try CheckJSON.render(check),
    ]
    for form in forms {
      let plain = form.replacing("\\/", with: "/").replacing("&#47;", with: "/")
      #expect(plain.contains("50/run, the limit is 10/run") && !plain.contains("50/s"), "\(form)")
    }
    #expect(OpenMetricsReport.render(check).contains("unit=\"1/run\"} 50.0"))
    let report = try OpenMetricsReport.render(try Self.tool().report)
    #expect(report.contains("lull_figure{path=\"\(Self.path)\",scenario=\"\",unit=\"1/run\"} 50.0"))
  }

  @Test func `a comparison tells it by the run, in every form`() throws {
    let found = RunComparer().compare(
      base: try (0..<3).map { _ in try Self.tool(50) },
      new: try (0..<3).map { _ in try Self.tool(100) })
    let figure = try #require(found.figures.first { $0.path == Self.path })
    #expect(figure.unit == "1/run")
    #expect(ComparisonText.render(found).contains("50/run to 100/run, +50/run"))
    #expect(ComparisonText.markdown(found).contains("| 50/run | 100/run |"))
    let row = StatisticRow(
      ComparisonStatistic(
        path: Self.path, unit: figure.unit, base: 50, new: 100, change: "", verdict: "",
        isWorse: nil))
    #expect(row.base == "50/run" && row.new == "100/run")
  }

  @Test func `figures by the run and by the time are not held against each other`() throws {
    let run = try Self.tool()
    let other = try Self.tool(45, unit: "points")
    let found = RunComparer().compare(base: [run, run, run], new: [other, other, other])
    let figure = found.figures.first { $0.path == Self.path }
    #expect(
      figure?.verdict == .incomparable && figure?.reason?.contains("1/run and in points") == true)
    let text = "[[budget]]\npath = \"\(Self.path)\"\nchange = { relative = 0.1 }\n"
    #expect(try SampleRuns.check(text, [run, other]).verdict == .inconclusive)

    let baseline = try Baseline(sets: [RunSet(scenario: nil, runs: [run])])
    let kept = try Baseline.parse(baseline.render())
    #expect(kept == baseline && kept.scenarios[""]?.units?[Self.path] == "1/run")
    #expect(try SampleRuns.check(text, [run], baseline: kept).verdict == .pass)
    let check = try SampleRuns.check(text, [other], baseline: kept)
    #expect(check.verdict == .inconclusive)
    #expect(check.results.first?.message.contains("the baseline counts it in 1/run") == true)
  }

  // A tool of about a second is counted by the run one time, and by the second the next.
  @Test func `what is counted by the time in some runs is turned into that of the run`() throws {
    func run(_ seconds: Double) throws -> Run {
      var report = try Self.tool(
        seconds < 1 ? 50 : 50 / seconds, unit: seconds < 1 ? "1/run" : "1/s"
      )
      .report
      report.trace.durationSeconds = seconds
      return try Run(source: "a", report: report)
    }
    let runs = try [run(0.9), run(1.25), run(0.8)]
    let found = RunComparer().compare(base: runs, new: try [run(1.25), run(0.5), run(1.25)])
    let figure = try #require(found.figures.first { $0.path == Self.path })
    #expect(figure.verdict == .unchanged && figure.baseValues == [50, 50, 50])
    #expect(figure.newValues == [50, 50, 50] && figure.unit == "1/run")
    let check = try SampleRuns.check("[[budget]]\npath = \"\(Self.path)\"\nmax = 50\n", runs)
    #expect(check.verdict == .pass && check.results.first?.values == [50, 50, 50])
    let baseline = try Baseline(sets: [RunSet(scenario: nil, runs: runs)])
    #expect(baseline.scenarios[""]?.figures[Self.path] == [50, 50, 50])
    #expect(BudgetTemplate.render(runs).contains("# measured 50/run"))
  }

  @Test func `merged reports keep what is by the run apart, with its unit`() throws {
    var fleet = Fleet()
    fleet.add(try Self.tool(50).figures)
    fleet.add(try Self.tool(3, unit: "1/s").figures)
    func value(_ path: String) -> Double? {
      FigurePath(path).flatMap { fleet.percentile(0.99, of: $0) }
    }
    #expect(value(Self.path) == 3 && value(Self.path + ".run") == 50)
    #expect(fleet.text().contains("50/run"))
    let json = try fleet.render()
    #expect(json.contains("\"unit\":\"1/run\""))
    var again = Fleet()
    try again.add(json: Array(json.utf8))
    #expect(try again.render() == json)
  }
}
