import Budgets
import Reporting
import Rules
import Testing

@Suite struct BudgetCheckerTests {
  static let syncs = "[[budget]]\npath = \"signals.disk.syncs\"\n"

  @Test(arguments: [("max = 12", BudgetVerdict.pass), ("max = 11", .fail), ("min = 13", .fail)])
  func `a figure is held to its limits`(limit: String, verdict: BudgetVerdict) throws {
    let check = try SampleRuns.check(Self.syncs + limit, [SampleRuns.run()])
    #expect(check.verdict == verdict)
    #expect(check.results.first?.measured == 12)
  }

  @Test func `the median of the runs counts, or what else is asked for`() throws {
    let runs = try SampleRuns.syncing([1, 2, 3, 4, 50])
    #expect(try SampleRuns.check(Self.syncs + "max = 3", runs).verdict == .pass)
    #expect(
      try SampleRuns.check(Self.syncs + "max = 3\naggregate = \"max\"", runs).verdict == .fail)
    #expect(
      try SampleRuns.check(Self.syncs + "min = 2\naggregate = \"min\"", runs).verdict == .fail)
  }

  @Test(arguments: [
    (60.0, 100.0, "min = 55", BudgetVerdict.pass), (60, 100, "min = 80", .inconclusive),
    (30, 49, "min = 80", .fail), (30, 49, "max = 60", .pass), (60, 100, "max = 50", .fail),
    (90, 90.5, "min = 90", .pass),
  ])
  func `a score keeps its limit with all of its bounds, and breaks it with all`(
    low: Double, high: Double, limit: String, verdict: BudgetVerdict
  ) throws {
    let run = try SampleRuns.run {
      $0.score.overall = (low + high) / 2
      $0.score.low = low
      $0.score.high = high
    }
    let check = try SampleRuns.check("[[budget]]\npath = \"score.overall\"\n" + limit, [run])
    #expect(check.verdict == verdict, "\(check.results)")
  }

  /// From outside nine hangs of 101 ms were four, and a limit of six was kept.
  @Test(arguments: [
    (0...9, "max = 6", BudgetVerdict.inconclusive), (0...9, "max = 9", .pass),
    (7...9, "max = 6", .fail), (0...1, "max = 0", .inconclusive), (0...0, "max = 0", .pass),
  ])
  func `so does the number of hangs where turns may be on either side of one`(
    counts: ClosedRange<Int>, limit: String, verdict: BudgetVerdict
  ) throws {
    let run = try SampleRuns.run {
      $0.signals.mainThread?.fewestHangs = counts.lowerBound
      $0.signals.mainThread?.mostHangs = counts.upperBound
    }
    let text = "[[budget]]\npath = \"signals.mainThread.hangs.count\"\n" + limit
    let check = try SampleRuns.check(text, [run])
    #expect(check.verdict == verdict, "\(check.results)")
  }

  /// What did not occur has no figure, least of all zero: its limit is neither kept nor broken.
  @Test(arguments: [
    (AuditStatus.notApplicable, BudgetVerdict.notApplicable), (.notMeasured, .inconclusive),
  ])
  func `a rule without a value`(status: AuditStatus, verdict: BudgetVerdict) throws {
    let run = try SampleRuns.run { report in
      guard let index = report.audits.firstIndex(where: { $0.id == "polling-timers" }) else {
        return
      }
      (report.audits[index].status, report.audits[index].value) = (status, nil)
    }
    let text = "[[budget]]\npath = \"audits.polling-timers.value\"\nmax = 0.1\n"
    let check = try SampleRuns.check(text, [run])
    #expect(check.results.map(\.verdict) == [verdict])
    // Where nothing else was checked nothing was.
    #expect(check.verdict == .inconclusive)
    let both = try SampleRuns.check(text + Self.syncs + "max = 12", [run])
    #expect(both.verdict == (verdict == .notApplicable ? .pass : .inconclusive))
  }

  // "ok 0 s" was said of a launch that nobody saw, and "the rule's verdict is pass" of what did not apply.
  @Test func `what does not apply is told as such in every form, and counted by itself`() throws {
    let run = try SampleRuns.run { report in
      for index in report.audits.indices {
        report.audits[index].status = index == 0 ? .pass : .notApplicable
        (report.audits[index].low, report.audits[index].high) = (nil, nil)
        if report.audits[index].id == "launch-time" {
          report.audits[index].value = nil
          report.audits[index].reason = "no event loop"
        }
      }
    }
    let named = "[[budget]]\npath = \"audits.launch-time.value\"\nmax = 1\n"
    let many = "[[budget]]\npath = \"audits.*.status\"\nworst = \"warn\"\n"
    let check = try SampleRuns.check(named + many, [run])
    let others = run.report.audits.count - 1
    #expect(check.verdict == .pass && check.results.count { $0.verdict == .pass } == 1)
    #expect(CheckText.summary(check) == "Budgets: pass (1 passed, \(others + 1) do not apply)")
    let text = CheckText.render(check)
    #expect(text.contains("n/a  audits.launch-time.value\n     does not apply: no event loop"))
    #expect(!text.contains("ok "))
    // What a pattern stands for is told where all is asked for.
    #expect(!text.contains("audits.launch-time.status"))
    #expect(CheckText.render(check, all: true).contains("n/a  audits.launch-time.status"))
    let markdown = CheckMarkdown.render(check, limit: .max / 2)
    #expect(markdown.contains("| n/a | audits.launch-time.value | does not apply: no event loop |"))
    let junit = JUnitReport.render(check)
    #expect(junit.contains("skipped=\"\(others + 1)\"") && junit.contains("errors=\"0\""))
    #expect(junit.contains("<skipped message=\"does not apply: no event loop\"/>"))
    let places = ProjectPlaces(root: "/", budget: "b") { _ in false }
    #expect(try !SARIFReport.render(check, places: places).contains("does not apply"))
    #expect(try GitLabReport.render(check, places: places) == "[\n\n]\n")
    #expect(try CheckJSON.render(check).contains("\"verdict\" : \"notApplicable\""))
    #expect(
      OpenMetricsReport.render(check).contains("lull_budget=\"notApplicable\"} 1"))
    #expect(try SampleRuns.check(named, [run]).verdict == .inconclusive)
  }

  @Test func `runs in which something did not occur make no zeros of the others`() throws {
    let path = "audits.launch-time.value"
    func run(_ value: Double?) throws -> Run {
      try SampleRuns.run { report in
        for index in report.audits.indices where report.audits[index].id == "launch-time" {
          report.audits[index].value = value
          report.audits[index].status = value == nil ? .notApplicable : .fail
        }
      }
    }
    let check = try SampleRuns.check(
      "[[budget]]\npath = \"\(path)\"\nmax = 1\n", try [run(nil), run(3), run(nil)])
    #expect(check.verdict == .fail && check.results.first?.measured == 3)
  }

  @Test func `a budget file without budgets checks nothing, and passes nothing`() throws {
    let check = try SampleRuns.check("", [SampleRuns.run()])
    #expect(check.verdict == .inconclusive)
    #expect(check.notes.contains { $0.contains("holds no budget") })
  }

  @Test func `no score decides nothing, and says why`() throws {
    let run = try SampleRuns.run {
      $0.score.overall = nil
      $0.score.note = "0.3 s are too little to tell"
    }
    let check = try SampleRuns.check("[[budget]]\npath = \"score.overall\"\nmin = 1", [run])
    #expect(check.verdict == .inconclusive)
    #expect(check.results.first?.message.contains("too little to tell") == true)
  }

  @Test(arguments: [
    (95.0, 100.0, "pass", BudgetVerdict.pass), (70, 100, "pass", .inconclusive),
    (70, 80, "pass", .fail), (70, 100, "warn", .pass), (0, 40, "warn", .fail),
  ])
  func `a rule's verdict is held within the bounds of its score`(
    low: Double, high: Double, worst: String, verdict: BudgetVerdict
  ) throws {
    let run = try SampleRuns.run { report in
      guard let index = report.audits.firstIndex(where: { $0.id == "sync-frequency" }) else {
        return
      }
      report.audits[index].status = high >= 90 ? .pass : high >= 50 ? .warn : .fail
      (report.audits[index].score, report.audits[index].low, report.audits[index].high) =
        (high, low, high)
    }
    let text = "[[budget]]\npath = \"audits.sync-frequency.status\"\nworst = \"\(worst)\"\n"
    #expect(try SampleRuns.check(text, [run]).verdict == verdict)
  }

  @Test func `levels: an error fails, a warning is said, off is not looked at`() throws {
    let runs = [try SampleRuns.run()]
    let warn = try SampleRuns.check(Self.syncs + "max = 1\nlevel = \"warn\"", runs)
    #expect(warn.verdict == .pass && warn.results.first?.verdict == .fail)
    let off = try SampleRuns.check(Self.syncs + "max = 1\nlevel = \"off\"", runs)
    #expect(off.results.isEmpty)
  }

  @Test func `what was not measured is inconclusive by name, with the reason`() throws {
    let run = try SampleRuns.run {
      $0.signals.disk = nil
      $0.capture.unavailable.append(
        try UnavailableSignal.sample(signal: "disk", reason: "no tracefs here"))
    }
    let check = try SampleRuns.check(Self.syncs + "max = 1000", [run])
    #expect(check.verdict == .inconclusive)
    #expect(check.results.first?.message.contains("no tracefs here") == true)
    let text = CheckText.render(check)
    #expect(text.contains("signals.disk.syncs") && text.contains("no tracefs here"))
  }

  @Test(arguments: [("error", BudgetVerdict.inconclusive), ("warn", .pass), ("fail", .fail)])
  func `the inconclusive counts as it is configured`(
    policy: String, verdict: BudgetVerdict
  ) throws {
    let run = try SampleRuns.run { $0.signals.disk = nil }
    let text = "[settings]\ninconclusive = \"\(policy)\"\n" + Self.syncs + "max = 1000"
    #expect(try SampleRuns.check(text, [run]).verdict == verdict)
  }

  @Test func `a trace that lost more than its share decides nothing`() throws {
    func check(
      lost: UInt64, records: UInt64?, ofTime: Double? = nil, settings: String = ""
    ) throws -> BudgetVerdict {
      let run = try SampleRuns.run { report in
        report.trace.lostEvents = lost
        report.trace.records = records
        report.trace.lostSeconds = ofTime.map { $0 * report.trace.durationSeconds }
      }
      return try SampleRuns.check(settings + Self.syncs + "max = 1000", [run]).verdict
    }
    #expect(try check(lost: 10, records: 9990) == .pass)
    #expect(try check(lost: 200, records: 9800) == .inconclusive)
    #expect(try check(lost: 200, records: 9800, settings: "[settings]\nmax-loss = 0.1\n") == .pass)
    #expect(try check(lost: 1, records: nil) == .inconclusive)
    // Few records, of little time or of much.
    #expect(try check(lost: 10, records: 9990, ofTime: 0.005) == .pass)
    #expect(try check(lost: 10, records: 9990, ofTime: 0.3) == .inconclusive)
    let torn = try SampleRuns.run { $0.trace.truncated = true }
    #expect(try SampleRuns.check(Self.syncs + "max = 1000", [torn]).verdict == .inconclusive)
  }

  @Test func `a broken budget outweighs an inconclusive one, and comes first`() throws {
    let run = try SampleRuns.run { $0.signals.memory = nil }
    let text = """
      [[budget]]
      path = "signals.wakeups.total"
      max = 1000000
      [[budget]]
      path = "signals.memory.peakFootprintBytes"
      max = 1
      [[budget]]
      path = "signals.disk.syncs"
      max = 1
      """
    let check = try SampleRuns.check(text, [run])
    #expect(check.verdict == .fail)
    #expect(check.results.map(\.verdict) == [.fail, .inconclusive, .pass])
  }

  @Test func `the verdict of a rule is a figure too`() throws {
    let text = "[[budget]]\npath = \"audits.*.status\"\nworst = \"warn\"\n"
    let run = try SampleRuns.run {
      for index in $0.audits.indices {
        $0.audits[index].status = .pass
        // A verdict without bounds, as a fact has it.
        ($0.audits[index].low, $0.audits[index].high) = (nil, nil)
      }
      $0.audits[0].status = .fail
      $0.audits[1].status = .notApplicable
    }
    let check = try SampleRuns.check(text, [run])
    #expect(check.verdict == .fail)
    #expect(check.results.filter { $0.verdict == .fail }.map(\.rule) == [run.report.audits[0].id])
    #expect(check.results.count == run.report.audits.count)
  }

  @Test func `scenarios have their own recordings`() throws {
    let text = """
      [[scenario]]
      name = "quiet"
      command = ["a"]
      [[scenario]]
      name = "busy"
      command = ["b"]
      [[budget]]
      path = "signals.disk.syncs"
      max = 5
      scenario = "quiet"
      [[budget]]
      path = "signals.disk.syncs"
      max = 50
      scenario = "busy"
      """
    let file = try BudgetParser.parse(text, path: "lull.toml")
    let quiet = RunSet(scenario: "quiet", runs: try SampleRuns.syncing([1]))
    let busy = RunSet(scenario: "busy", runs: try SampleRuns.syncing([40]))
    #expect(BudgetChecker(file: file, sets: [quiet, busy]).check().verdict == .pass)
    let half = BudgetChecker(file: file, sets: [quiet]).check()
    #expect(half.verdict == .inconclusive)
    #expect(half.results.first?.message.contains("busy=TRACE") == true)
    var only = BudgetChecker(file: file, sets: [quiet])
    only.onlyScenario = "quiet"
    #expect(only.check().verdict == .pass)
  }

  @Test func `the function to blame is named with its place, and the rule's advice`() throws {
    let frame = StackFrameSample.frame
    let run = try SampleRuns.run { report in
      guard let index = report.audits.firstIndex(where: { $0.id == "polling-timers" }) else {
        return
      }
      report.audits[index].evidence = [
        Evidence(summary: "every 1 s", function: frame.function, stack: [frame])
      ]
    }
    let text = "[[budget]]\npath = \"signals.wakeups.total\"\nmax = 1"
    let result = try #require(try SampleRuns.check(text, [run]).results.first)
    #expect(result.rule == "polling-timers")
    #expect(result.blame?.file == "/src/Sources/App/Poller.swift" && result.blame?.line == 42)
    #expect(result.advice?.isEmpty == false)
    let shown = CheckText.render(try SampleRuns.check(text, [run]))
    #expect(shown.contains("blame: Poller.look() (Poller.swift:42)"), "\(shown)")
    #expect(shown.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}

/// What a limit of a tool's score does not see.
@Suite struct ToolScoreTests {
  private static let limit = "[[budget]]\npath = \"score.overall\"\nmin = 90\n"

  /// A tool that scores well, whatever it takes.
  private static func runs(memory: UInt64, cpu: Double, count: Int = 6) throws -> [Run] {
    try (0..<count).map { index in
      try SampleRuns.run("run\(index)") {
        $0.score.profile = "tool"
        ($0.score.overall, $0.score.low, $0.score.high) = (99.5, 99.5, 99.5)
        $0.signals.memory?.peakFootprintBytes = memory + UInt64(index)
        $0.signals.cpu?.totalSeconds = cpu + Double(index) / 1000
      }
    }
  }

  @Test func `a tool that takes a hundred times the memory does not keep the limit of its score`()
    throws
  {
    let before = try Self.runs(memory: 5_000_000, cpu: 0.3)
    let baseline = try Baseline(sets: [RunSet(scenario: nil, runs: before)])
    #expect(try SampleRuns.check(Self.limit, before, baseline: baseline).verdict == .pass)
    let after = try Self.runs(memory: 573_000_000, cpu: 1.0)
    let check = try SampleRuns.check(Self.limit, after, baseline: baseline)
    #expect(check.verdict == .fail)
    #expect(
      check.results.filter { $0.verdict == .fail }.map(\.path).sorted() == [
        "signals.cpu.totalSeconds", "signals.memory.peakFootprintBytes",
      ])
    // Who has a limit of his own on a figure is asked no more of it.
    let own =
      Self.limit + "[[budget]]\npath = \"signals.memory.peakFootprintBytes\"\nmax = 600_000_000\n"
      + "[[budget]]\npath = \"signals.cpu.totalSeconds\"\nmax = 2\n"
    #expect(try SampleRuns.check(own, after, baseline: baseline).verdict == .pass)
  }

  @Test(arguments: [5, 500])
  func `of what is known in part a limit is broken, and never kept`(writes: Int) throws {
    let run = try SampleRuns.run {
      $0.signals.disk?.writes = writes
      $0.signals.disk?.missing = "12 writes more were of files that are not known"
    }
    func check(_ limit: String) throws -> CheckResult {
      try SampleRuns.check(
        "[[budget]]\npath = \"signals.disk.writes\"\n\(limit)\n", [run])
    }
    let most = try check("max = 10")
    #expect(most.verdict == (writes > 10 ? .fail : .inconclusive))
    #expect(writes > 10 || most.results.first?.message.contains("12 writes more") == true)
    #expect(try check("min = 10").verdict == .inconclusive)
    var comparer = RunComparer(
      file: try BudgetParser.parse(
        "[[budget]]\npath = \"signals.disk.writes\"\nmax = 10\n", path: "b"), scenario: nil)
    comparer.force = true
    #expect(comparer.compare(base: [run, run], new: [run, run]).verdict == .inconclusive)
  }

  @Test func `without a baseline it says what the limit does not see, of tools alone`() throws {
    let check = try SampleRuns.check(Self.limit, try Self.runs(memory: 573_000_000, cpu: 1))
    #expect(check.verdict == .pass)
    #expect(check.notes.contains { $0.contains("says little of how much CPU time") })
    let figures = ["cpu.totalSeconds", "memory.peakFootprintBytes", "disk.bytesWritten"]
    let own = figures.map { "[[budget]]\npath = \"signals.\($0)\"\nmax = 1e9\n" }.joined()
    let limited = try Self.runs(memory: 5_000_000, cpu: 1)
    #expect(try SampleRuns.check(Self.limit + own, limited).notes.isEmpty)
    let server = try SampleRuns.run {
      $0.score.profile = "server"
      ($0.score.overall, $0.score.low, $0.score.high) = (99, 99, 99)
    }
    #expect(try SampleRuns.check(Self.limit, [server]).notes.isEmpty)
  }
}
