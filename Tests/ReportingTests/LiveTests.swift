import Testing

@testable import Reporting

@Suite struct LiveTests {
  private func view() -> LiveView {
    LiveView(
      now: SampleReport.report(), minute: SampleReport.report(), recordedSeconds: 61,
      recordedBytes: 5_000_000)
  }

  @Test(arguments: [(80, 24), (40, 12), (200, 60), (60, 20)])
  func `the screen is as large as the terminal, and no larger`(width: Int, height: Int) {
    for order in ThreadRow.Order.allCases {
      for selected in [nil, 0, 1, 99] {
        var view = view()
        view.order = order
        view.selected = selected
        let screen = LiveScreen.render(view, width: width, height: height, color: false)
        let lines = screen.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.count == height, "\(screen)")
        #expect(lines.allSatisfy { Columns.width($0) <= width }, "\(screen)")
        #expect(!screen.hasSuffix("\n"))
      }
    }
  }

  @Test(arguments: [(40, 10), (60, 12), (80, 24)])
  func `there are threads on the smallest screen, and the one that is looked at`(
    width: Int, height: Int
  ) throws {
    var report = SampleReport.report()
    let thread = try #require(report.signals.threads.first)
    report.signals.threads = (0..<30).map {
      var other = thread
      other.tid = 7000 + $0
      return other
    }
    var view = LiveView(now: report, minute: report, recordedSeconds: 61, recordedBytes: 1)
    for selected in [0, 15, 29] {
      view.selected = selected
      let tid = view.threads[selected].tid
      let lines = LiveScreen.render(view, width: width, height: height, color: false)
        .split(separator: "\r\n", omittingEmptySubsequences: false)
      #expect(lines.count == height)
      #expect(lines.contains { $0.hasPrefix("    \(tid)") }, "\(lines)")
      #expect(lines.count { $0.hasPrefix("    70") } >= 2, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("CPU, of a core") })
    }
  }

  @Test func `what was not measured is said to be that, in rows by a dash`() throws {
    var report = SampleReport.report()
    report.signals.network = nil
    report.trace.durationSeconds = 10
    report.signals.cpu?.totalSeconds = 2.5
    let view = LiveView(now: report, minute: report, recordedSeconds: 10, recordedBytes: 1)
    let screen = LiveScreen.render(view, width: 80, height: 24, color: false)
    let sent = try #require(screen.split(separator: "\r\n").first { $0.hasPrefix("sent") })
    #expect(sent.contains("not measured"))
    let cpu = try #require(screen.split(separator: "\r\n").first { $0.hasPrefix("CPU, of a core") })
    #expect(cpu.contains("25.0 %"), "\(cpu)")
    let row = LiveRows.row(view, time: "12:00:00").split(
      separator: "\t", omittingEmptySubsequences: false)
    let head = LiveRows.header.split(separator: "\t")
    #expect(row.count == head.count)
    #expect(row[try #require(head.firstIndex(of: "sent"))] == "-")
    #expect(row[try #require(head.firstIndex(of: "cpu"))] == "25.0 %")
  }

  @Test func `an event loop's row has its rate, how busy it is and how long its turns take`() throws
  {
    var report = SampleReport.report()
    report.trace.durationSeconds = 10
    let thread = try #require(report.signals.threads.first)
    var other = thread
    other.tid += 1
    report.signals.threads.append(other)
    report.signals.criticalThreads = [
      CriticalThreadSection(
        tid: thread.tid, name: thread.name, role: "event loop", turns: 4000,
        longestTurnSeconds: 0.2, turnMedianSeconds: 0.001, turnP95Seconds: 0.002,
        turnP99Seconds: 0.01, runningSeconds: 2, runnableSeconds: 0.5, idleSeconds: 7.5,
        blockedSeconds: 0, blockedByCause: [:], blockings: [])
    ]
    let row = try #require(ThreadRow.rows(of: report, by: .turns).first)
    #expect(row.tid == thread.tid)
    #expect(row.turnsPerSecond == 400)
    #expect(row.utilisation == 0.25)
    let text = TextReport.render(report)
    let line = try #require(
      text.split(separator: "\n").first { $0.contains("400") && $0.contains("25.0 %") }, "\(text)")
    #expect(line.contains(" 1 ms") && line.contains("10.0 ms"), "\(line)")
  }

  // The wait that a thread was found in was told as blocking, though it may have been idle.
  @Test func `a wait of which nothing tells what it was for is no more than may have been blocked`()
    throws
  {
    var report = SampleReport.report()
    report.trace.durationSeconds = 10
    let thread = try #require(report.signals.threads.first)
    func blocked(_ causes: [String: Double]) throws -> (screen: String, row: String) {
      report.signals.mainThread?.blockedSeconds = causes.values.reduce(0, +)
      report.signals.mainThread?.blockedByCause = causes
      report.signals.criticalThreads = [
        CriticalThreadSection(
          tid: thread.tid, name: thread.name, role: "main", turns: 4, longestTurnSeconds: 0.2,
          runningSeconds: 1, runnableSeconds: 0, idleSeconds: 6,
          blockedSeconds: causes.values.reduce(0, +), blockedByCause: causes, blockings: [])
      ]
      let view = LiveView(now: report, minute: report, recordedSeconds: 10, recordedBytes: 1)
      let lines = LiveScreen.render(view, width: 100, height: 24, color: false)
        .split(separator: "\r\n")
      let row = try #require(lines.first { $0.contains("main, \(thread.name)") }, "\(lines)")
      let figure = try #require(lines.first { $0.hasPrefix("main blocked") }, "\(lines)")
      return (String(figure), String(row))
    }
    let untold = try blocked(["unknown": 2.5, "lock": 0.5])
    #expect(untold.screen.contains(" ≤30.0 %") && untold.row.contains(" ≤30.0 %"), "\(untold)")
    let told = try blocked(["lock": 3, "unknown": 0.001])
    #expect(told.screen.contains(" 30.0 %") && told.row.contains(" 30.0 %"), "\(told)")
  }

  @Test(arguments: [(80, 24), (40, 10), (200, 60)])
  func `the list of processes is no larger than the terminal, and the chosen one is in it`(
    width: Int, height: Int
  ) {
    let all = (0..<50).map {
      ProcessFigures(
        pid: Int32(1000 + $0), name: "server\u{1B}[2J\($0)", cpuShare: 0.5,
        wakeupsPerSecond: 12.5, writtenPerSecond: nil, footprintBytes: 12_000_000, threads: 4)
    }
    for selected in [0, 20, 49] {
      let screen = ProcessList.render(
        all, selected: selected, width: width, height: height, color: false)
      let lines = screen.split(separator: "\r\n", omittingEmptySubsequences: false)
      #expect(lines.count == height, "\(screen)")
      #expect(lines.allSatisfy { Columns.width($0) <= width }, "\(screen)")
      let chosen = lines.filter { $0.hasPrefix(">") }
      #expect(chosen.count == 1 && chosen[0].contains("\(1000 + selected)"))
      #expect(!screen.contains("\u{1B}"))
    }
    let none = ProcessList.render([], selected: 0, width: 80, height: 24, color: false)
    #expect(none.contains("none runs"))
    // What may not be read is no zero.
    let row = ProcessList.plain([all[0]]).split(separator: "\n")[1].split(separator: "\t")
    #expect(row[4] == "-" && row[2] == "50.0 %")
  }

  @Test func `looking takes a quarter of a core, however long a look had to wait for one`() {
    #expect(LookPace.seconds(interval: 2, cpuSeconds: 0.4) == 2)
    #expect(LookPace.seconds(interval: 2, cpuSeconds: 0.75) == 3)
  }
}
