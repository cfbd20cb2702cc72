import Foundation
import Reporting
import Rules
import Testing

@testable import Budgets

@Suite struct ComparisonTests {
  private func cpu(_ seconds: [Double]) throws -> [Run] {
    try seconds.enumerated().map { index, value in
      try SampleRuns.run("run\(index)") { $0.signals.cpu?.totalSeconds = value }
    }
  }

  @Test func `counts that never vary are told apart by few runs, times by six`() throws {
    let base = try SampleRuns.syncing([4, 4, 4])
    let found = RunComparer().compare(base: base, new: try SampleRuns.syncing([9, 9, 9]))
    let syncs = try #require(found.figures.first { $0.path == "signals.disk.syncs" })
    #expect(found.verdict == .fail && syncs.verdict == .worse && syncs.isDeterministic)
    #expect(syncs.base == 4 && syncs.new == 9 && syncs.relativeChange == 1.25)
    #expect(found.figures.first == syncs)

    let few = RunComparer().compare(
      base: try cpu([1, 1.1, 0.9]), new: try cpu([2, 2.1, 1.9]))
    #expect(few.verdict == .inconclusive)
    let enough = RunComparer().compare(
      base: try cpu([1, 1.1, 0.9, 1.05, 0.95, 1]), new: try cpu([2, 2.1, 1.9, 2.05, 1.95, 2]))
    let time = try #require(enough.figures.first { $0.path == "signals.cpu.totalSeconds" })
    #expect(enough.verdict == .fail && time.verdict == .worse && !time.isDeterministic)
    #expect(time.pValue ?? 1 < 0.05)
    #expect(time.changeInterval.map { $0[0] > 0.8 && $0[1] < 1.2 } == true)
  }

  @Test func `noise is no change`() throws {
    let found = RunComparer().compare(
      base: try cpu([1, 1.3, 0.8, 1.2, 0.9, 1]), new: try cpu([1.1, 1.2, 0.9, 1.25, 1.3, 0.85]))
    #expect(found.verdict == .pass)
    let time = found.figures.first { $0.path == "signals.cpu.totalSeconds" }
    #expect(time?.verdict == .ambiguous)
  }

  @Test func `runs of different machines are not compared`() throws {
    let base = try cpu([1, 1, 1])
    let new = try (0..<3).map { _ in try SampleRuns.run { $0.trace.cpuModel = "Other" } }
    let found = RunComparer().compare(base: base, new: new)
    #expect(found.verdict == .inconclusive)
    #expect(
      found.figures.first { $0.path == "signals.cpu.totalSeconds" }?.reason?.contains("Other")
        == true)
  }

  @Test func `only what a budget says about changes is compared where one is given`() throws {
    let file = try BudgetParser.parse(
      """
      [[budget]]
      path = "signals.disk.syncs"
      change = { relative = 1 }
      [[budget]]
      path = "signals.disk.writes"
      max = 3
      """, path: "lull.toml")
    let comparer = RunComparer(file: file, scenario: nil)
    let found = comparer.compare(
      base: try SampleRuns.syncing([4, 4, 4]), new: try SampleRuns.syncing([7, 7, 7]))
    #expect(found.figures.map(\.path) == ["signals.disk.syncs"])
    #expect(found.verdict == .pass)
  }

  @Test func `every form says what got worse`() throws {
    let found = RunComparer().compare(
      base: try SampleRuns.syncing([4, 4, 4]), new: try SampleRuns.syncing([9, 9, 9]))
    let text = ComparisonText.render(found)
    #expect(text.contains("WORSE") && text.contains("4 to 9, +5 (+125 %)"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let markdown = ComparisonText.markdown(found)
    #expect(markdown.contains("| WORSE | signals.disk.syncs | 4 | 9 |"))
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(ComparisonText.json(found).utf8)) as? [String: Any])
    #expect(json["schema"] as? String == "lull.compare/1" && json["verdict"] as? String == "fail")
  }

  // What neither side had was left out without a word, and the comparison passed by what else there was.
  @Test(arguments: [1, 3])
  func `what was measured on neither side is listed, and a signal without figures decides nothing`(
    runs: Int
  ) throws {
    let run = try SampleRuns.run {
      $0.signals.disk = nil
      $0.capture.unavailable = [try .sample(signal: "disk", reason: "looked at from outside")]
    }
    let sides = Array(repeating: run, count: runs)
    let found = RunComparer().compare(base: sides, new: sides)
    #expect(found.verdict == .inconclusive)
    for path in ["signals.disk.syncs", "signals.disk.bytesWritten", "signals.disk.writes"] {
      let figure = found.figures.first { $0.path == path }
      #expect(figure?.verdict == .incomparable)
      #expect(figure?.reason == "not measured: looked at from outside")
    }
    // The score follows from others' figures.
    #expect(found.figures.first { $0.path == "score.overall" }?.verdict == .notMeasured)
    #expect(ComparisonText.render(found).contains("?      signals.disk.syncs"))
    #expect(
      ComparisonText.markdown(found).contains("| ? | signals.disk.syncs | – | – | not measured"))
    #expect(try ComparisonText.json(found).contains("\"not measured: looked at from outside\""))
    #expect(found.notes.contains { $0.contains("--budget") })
    // Who names the figures to compare is asked for no others.
    let file = try BudgetParser.parse(
      "[[budget]]\npath = \"signals.cpu.totalSeconds\"\nchange = { relative = 0.1 }\n", path: "b")
    #expect(
      RunComparer(file: file, scenario: nil).compare(base: sides, new: sides).verdict == .pass)
  }

  @Test func `what applies to neither side is no figure to compare`() throws {
    let run = try SampleRuns.run { report in
      report.signals.mainThread?.launchSeconds = nil
      for index in report.audits.indices where report.audits[index].id == "launch-time" {
        report.audits[index].status = .notApplicable
      }
    }
    let found = RunComparer().compare(base: [run], new: [run])
    #expect(found.verdict == .pass)
    #expect(!found.figures.contains { $0.path == "signals.mainThread.launchSeconds" })
  }

  private func expired(_ rates: [Double?]) throws -> [Run] {
    try rates.enumerated().map { index, rate in
      try SampleRuns.run("run\(index)") { report in
        for audit in report.audits.indices where report.audits[audit].id == "polling-timers" {
          report.audits[audit].value = rate
          report.audits[audit].status = rate == nil ? .notApplicable : .pass
          report.audits[audit].hadNothing = rate == nil ? true : nil
        }
      }
    }
  }

  // Equal builds could not be compared since in two runs of twelve no thread had waited again and again.
  @Test func `what there was nothing of in some runs comes to nothing in them`() throws {
    let some: [Double?] = [0.23, nil, nil, 0.45, 0.7, 0.45]
    func polling(_ base: [Double?], _ new: [Double?]) throws -> (Comparison, ComparedFigure?) {
      let found = RunComparer().compare(base: try expired(base), new: try expired(new))
      return (found, found.figures.first { $0.path == "audits.polling-timers.value" })
    }
    let (same, equal) = try polling(some, [0.71, 0.46, 0.69, nil, 0.3, 0.45])
    #expect(same.verdict == .pass && equal?.verdict != .incomparable, "\(same.figures)")
    #expect(equal?.baseValues == [0.23, 0, 0, 0.45, 0.7, 0.45])
    let many: [Double?] = [179, 181, 188, 186, 180, 184]
    for base in [some, [nil, nil, nil, nil, nil, nil]] {
      let (worse, risen) = try polling(base, many)
      #expect(worse.verdict == .fail && risen?.verdict == .worse, "\(worse.figures)")
    }
  }

  @Test func `runs to which a rule does not apply say nothing of the others`() throws {
    func run(_ value: Double?, _ status: AuditStatus) throws -> Run {
      try SampleRuns.run { report in
        for index in report.audits.indices where report.audits[index].id == "launch-time" {
          (report.audits[index].value, report.audits[index].status) = (value, status)
        }
      }
    }
    let file = try BudgetParser.parse(
      "[[budget]]\npath = \"audits.launch-time.value\"\nchange = { relative = 0.1 }\n", path: "b")
    func compare(_ base: [Run], _ new: [Run]) -> Comparison {
      RunComparer(file: file, scenario: nil).compare(base: base, new: new)
    }
    let (one, none) = (try run(1, .pass), try run(nil, .notApplicable))
    let some = compare([one, none, one], [none, one, one])
    #expect(some.verdict == .pass && some.figures.first?.baseValues == [1, 1], "\(some.figures)")
    // One side has none of it, what was not measured may be anything, and nothing is no comparison.
    #expect(compare([none, none], [one, one]).figures.first?.verdict == .incomparable)
    let open = compare([one, try run(nil, .notMeasured)], [one, none])
    #expect(open.figures.first?.reason?.hasPrefix("not measured") == true, "\(open.figures)")
    let nothing = compare([none], [none])
    #expect(nothing.figures.first?.verdict == .notMeasured && nothing.verdict == .inconclusive)
  }

  // "+223 % within +30.1 MB and +30.1 MB" was said of one run of each side.
  @Test func `of one run no interval is given, and the p-value says what it was corrected by`()
    throws
  {
    let one = RunComparer().compare(base: try cpu([1]), new: try cpu([3]))
    let figure = try #require(one.figures.first { $0.path == "signals.cpu.totalSeconds" })
    #expect(figure.baseInterval == nil && figure.newInterval == nil && figure.changeInterval == nil)
    for text in [ComparisonText.render(one), ComparisonText.markdown(one)] {
      #expect(!text.contains("within") && !text.contains("interval"), "\(text)")
      #expect(text.contains("+2 s (+200 %), seen in one run of each side"), "\(text)")
    }
    #expect(ComparisonText.render(one).contains("Holm-adjusted"))
    #expect(ComparisonText.markdown(one).contains("| p, Holm-adjusted |"))

    let after = RunComparer().compare(base: try cpu([1, 1.1]), new: try cpu([3]))
    #expect(ComparisonText.markdown(after).contains("seen in one run after"))
  }

  @Test func `an interval whose bounds are alike as they are written is not given`() throws {
    func peaks(_ bytes: [UInt64]) throws -> [Run] {
      try bytes.enumerated().map { index, value in
        try SampleRuns.run("run\(index)") { $0.signals.memory?.peakFootprintBytes = value }
      }
    }
    let found = RunComparer().compare(
      base: try peaks([13_500_000, 13_500_001, 13_500_002]),
      new: try peaks([43_600_000, 43_600_004, 43_600_008]))
    let text = ComparisonText.render(found)
    #expect(text.contains("+30.1 MB (+223 %)") && !text.contains("within"), "\(text)")
  }
}
