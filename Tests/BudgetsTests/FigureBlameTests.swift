import Testing

@testable import Budgets
@testable import Reporting

/// Who is blamed for a figure: who has most of that very figure, and of a change who has most of that.
@Suite struct FigureBlameTests {
  private static func row(
    _ function: String, seconds: Double = 0, samples: Int? = nil, count: Double = 0,
    bytes: Double = 0, syncs: Double? = nil
  ) -> BlameRowSection {
    BlameRowSection(
      function: function, module: "/opt/app/server", file: "/src/w.c", line: 10, cause: nil,
      selfSeconds: seconds, selfSecondsInterval: nil, samples: samples, inclusiveSeconds: seconds,
      count: count, inclusiveCount: count, syncs: syncs, bytes: bytes, inclusiveBytes: bytes,
      joules: 0)
  }

  /// A program in which one function writes a thousand bytes so many times, and another one byte and a sync each time.
  private static func writing(_ writes: Int, syncs: Int = 5, file: String = "f") throws -> Run {
    try SampleRuns.run {
      $0.blame.disk = [
        row(
          "do_syncs", seconds: 0.1, count: Double(syncs), bytes: Double(syncs),
          syncs: Double(syncs)),
        row("do_writes", count: Double(writes), bytes: Double(writes * 1000)),
      ]
      $0.signals.disk?.writes = writes + syncs
      $0.signals.disk?.smallWrites = writes + syncs
      $0.signals.disk?.syncs = syncs
      $0.signals.disk?.bytesWritten = UInt64(writes * 1000 + syncs)
      $0.signals.disk?.files = [
        FileSection(
          path: file, writes: writes + syncs, bytesWritten: UInt64(writes * 1000 + syncs),
          syncs: syncs, rewrites: 0, rewrittenBytes: 0)
      ]
      for index in $0.audits.indices where $0.audits[index].category == "disk" {
        ($0.audits[index].status, $0.audits[index].value) = (.fail, Double(writes + syncs))
      }
    }
  }

  // do_syncs was blamed for 200 kB, of which it writes five bytes: it takes the longest.
  @Test(arguments: [
    ("signals.disk.bytesWritten", "do_writes"), ("signals.disk.writes", "do_writes"),
    ("signals.disk.smallWrites", "do_writes"), ("signals.disk.files.f.bytesWritten", "do_writes"),
    ("signals.disk.files.f.writes", "do_writes"), ("signals.disk.files.f.syncs", "do_syncs"),
    ("audits.bytes-written.value", "do_writes"), ("audits.write-frequency.value", "do_writes"),
    ("audits.sync-frequency.value", "do_syncs"), ("signals.disk.syncs", "do_syncs"),
    ("signals.disk.syncSeconds", "do_syncs"),
  ])
  func `a figure's blame goes by its own measure`(path: String, function: String) throws {
    let run = try Self.writing(200)
    let check = try SampleRuns.check("[[budget]]\npath = '\(path)'\nmax = 0\n", [run])
    let result = try #require(check.results.first)
    #expect(result.blame?.function == function, "\(path): \(result)")
    for text in [
      CheckText.render(check), JUnitReport.render(check), CheckMarkdown.render(check),
      try SARIFReport.render(check, places: ProjectPlaces(root: "/", budget: "b") { _ in false }),
      try GitLabReport.render(check, places: ProjectPlaces(root: "/", budget: "b") { _ in false }),
    ] where !path.contains("syncSeconds") {
      let other = function == "do_writes" ? "do_syncs" : "do_writes"
      let plain = text.replacing("\\", with: "")
      #expect(plain.contains(function) && !plain.contains(other), "\(text)")
    }
  }

  @Test func `nobody is blamed for a part of which the tables do not tell whose it is`() throws {
    var run = try Self.writing(100, syncs: 80)
    // Half of the writes were small: which, the tables do not tell.
    run.report.signals.disk?.smallWrites = 90
    run = try Run(source: "a", report: run.report)
    let check = try SampleRuns.check(
      "[[budget]]\npath = \"signals.disk.smallWrites\"\nmax = 0\n", [run])
    #expect(check.results.first?.blame?.function == nil)
  }

  @Test(arguments: [
    ("signals.disk.bytesWritten", "do_writes"), ("signals.disk.writes", "do_writes"),
    ("signals.disk.syncs", "do_syncs"),
  ])
  func `of a regression who wrote more is blamed`(path: String, function: String) throws {
    let comparer = RunComparer(
      file: try BudgetParser.parse(
        "[[budget]]\npath = \"\(path)\"\nchange = { relative = 0.05 }\n", path: "b"), scenario: nil)
    let new = try function == "do_writes" ? Self.writing(200) : Self.writing(100, syncs: 12)
    let found = comparer.compare(
      base: Array(repeating: try Self.writing(100), count: 3), new: Array(repeating: new, count: 3))
    #expect(found.figures.first?.verdict == .worse)
    #expect(found.figures.first?.blame?.function == function)
  }

  private static func computing(steady: Double, grew: Double, _ run: Int = 0) throws -> Run {
    try SampleRuns.run {
      $0.blame.cpu = [
        row("steady", seconds: steady, samples: Int(steady * 100)),
        row("grew", seconds: grew, samples: Int(grew * 100)),
      ]
      $0.signals.cpu?.totalSeconds = steady + grew
    }
  }

  // steady computes most of the time before and after, and got no worse.
  @Test func `of CPU time that grew who grew is blamed, not who has most`() throws {
    let found = RunComparer().compare(
      base: try (0..<6).map { _ in try Self.computing(steady: 0.4, grew: 0.05) },
      new: try (0..<6).map { _ in try Self.computing(steady: 0.41, grew: 0.3) })
    let cpu = try #require(found.figures.first { $0.path == "signals.cpu.totalSeconds" })
    #expect(cpu.verdict == .worse && cpu.blame?.function == "grew")
    #expect(ComparisonText.render(found).contains("blame: grew (w.c:10)"))
    #expect(ComparisonText.markdown(found).contains("grew (w.c:10)"))
  }

  @Test func `where the recordings do not tell what grew nobody is named`() throws {
    func compared(_ base: Run, _ new: Run) throws -> ComparedFigure {
      let found = RunComparer().compare(
        base: Array(repeating: base, count: 6), new: Array(repeating: new, count: 6))
      let figure = try #require(found.figures.first { $0.path == "signals.cpu.totalSeconds" })
      #expect(figure.verdict == .worse && figure.blame == nil && figure.blameReason != nil)
      #expect(ComparisonText.render(found).contains("blame: not known: "))
      #expect(ComparisonText.markdown(found).contains("not known: "))
      #expect(try ComparisonText.json(found).contains("\"blameReason\""))
      return figure
    }
    let before = try Self.computing(steady: 0.4, grew: 0.05)
    var untold = before
    untold.report.blame.cpu = []
    untold.report.signals.cpu?.totalSeconds = 0.7
    untold = try Run(source: "a", report: untold.report)
    _ = try compared(before, untold)
    // Samples that are as many as before: it grew where none was taken.
    var elsewhere = before
    elsewhere.report.signals.cpu?.totalSeconds = 0.7
    elsewhere = try Run(source: "a", report: elsewhere.report)
    _ = try compared(before, elsewhere)
  }

  private static func blocked(lock: Double) throws -> Run {
    try SampleRuns.run {
      func wait(_ function: String, _ cause: String, _ seconds: Double) -> BlockingSection {
        BlockingSection(
          cause: cause, seconds: seconds, count: 1, waker: nil,
          stack: [
            ReportFrame(
              function: function, module: "/opt/app/server", file: "/src/w.c", line: 18,
              isProgram: true)
          ])
      }
      $0.signals.mainThread?.blockings = [
        wait("do_wakes", "sleep", 0.5), wait("do_block", "lock", lock),
      ]
      $0.signals.mainThread?.blockedSeconds = 0.5 + lock
      for index in $0.audits.indices where $0.audits[index].id.hasPrefix("main-thread") {
        $0.audits[index].status = .notApplicable
      }
    }
  }

  // "Make each turn short" was said of a program that has no turns, and nobody was blamed.
  @Test func `a wait that grew is its function's, with no advice that does not apply`() throws {
    let found = RunComparer().compare(
      base: try (0..<6).map { _ in try Self.blocked(lock: 0.2) },
      new: try (0..<6).map { _ in try Self.blocked(lock: 0.4) })
    let figure = try #require(
      found.figures.first { $0.path == "signals.mainThread.blockedSeconds" })
    #expect(figure.blame?.function == "do_block" && figure.blame?.line == 18)
    #expect(figure.rule == nil && figure.advice == nil)
  }

  @Test func `a wait that grew in a program with turns has the advice of its cause`() throws {
    func run(_ lock: Double) throws -> Run {
      var run = try Self.blocked(lock: lock)
      for index in run.report.audits.indices { run.report.audits[index].status = .pass }
      return run
    }
    let found = RunComparer().compare(
      base: try (0..<6).map { _ in try run(0.2) }, new: try (0..<6).map { _ in try run(0.4) })
    let figure = found.figures.first { $0.path == "signals.mainThread.blockedSeconds" }
    #expect(figure?.rule == "main-thread-lock-waits")
  }

  @Test func `of a score that fell the rule that fell is blamed`() throws {
    func run(_ sync: Double) throws -> Run {
      try SampleRuns.run { report in
        (report.score.overall, report.score.low, report.score.high) = (sync, sync, sync)
        for index in report.audits.indices {
          let audit = report.audits[index]
          guard audit.id == "sync-frequency" || audit.id == "peak-footprint" else { continue }
          report.audits[index].score = audit.id == "sync-frequency" ? sync : 10
          (report.audits[index].status, report.audits[index].weight) = (.fail, 3)
        }
      }
    }
    let found = RunComparer().compare(
      base: Array(repeating: try run(90), count: 3), new: Array(repeating: try run(30), count: 3))
    #expect(found.figures.first { $0.path == "score.overall" }?.rule == "sync-frequency")
  }

  @Test func `of a change from a baseline nobody is blamed who may have been as bad before`() throws
  {
    func checked(_ base: Int, _ new: Int) throws -> CheckResult {
      let runs = try (0..<3).map { _ in try Self.writing(base, syncs: 100) }
      return try SampleRuns.check(
        "[[budget]]\npath = \"signals.disk.writes\"\nchange = { relative = 0.1 }\n",
        try (0..<3).map { _ in try Self.writing(new, syncs: 100) },
        baseline: try Baseline(sets: [RunSet(scenario: nil, runs: runs)]))
    }
    let doubtful = try checked(200, 260)
    #expect(doubtful.verdict == .fail && doubtful.results.first?.blame == nil)
    #expect(CheckText.render(doubtful).contains("blame: not known: "))
    // It writes more than all did before.
    let sure = try checked(200, 2000)
    #expect(sure.verdict == .fail && sure.results.first?.blame?.function == "do_writes")
  }
}
