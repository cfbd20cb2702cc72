import Testing

@testable import Reporting

@Suite struct ComparisonTests {
  @Test func `figures that add up are compared a minute, in their own unit`() throws {
    var base = SampleReport.report()
    base.trace.durationSeconds = 30
    base.signals.disk?.bytesWritten = 1_500_000
    base.signals.memory?.peakFootprintBytes = 2_000_000
    var new = base
    new.signals.disk?.bytesWritten = 4_500_000
    new.signals.memory?.peakFootprintBytes = 3_000_000
    let rows = ComparedFigures.rows(base, new)
    let written = try #require(rows.first { $0.title == "Bytes written a minute" })
    #expect(written.base == "3 MB")
    #expect(written.new == "9 MB")
    #expect(written.difference == "+6 MB (+200 %)")
    let footprint = try #require(rows.first { $0.title == "Peak footprint" })
    #expect(footprint.difference == "+1 MB (+50.0 %)")
  }

  @Test func `the page says that a side's program failed, and statistics in words`() throws {
    let base = SampleReport.report()
    var new = base
    new.process.exitStatus = 64
    let page = try HTMLComparison.render(
      base: base, new: new,
      statistics: [
        ComparisonStatistic(
          path: "signals.memory.peakFootprintBytes", base: 2_000_000, new: 1_000_000,
          change: "−50 %", verdict: "too few runs to tell", isWorse: nil)
      ])
    #expect(page.contains("ended with status 64."))
    #expect(page.contains("<td class=\"num\">2 MB</td>"))
    #expect(page.contains("too few runs to tell"))
  }

  @Test func `a program whose child did the work is said not to be the one that costs`() {
    var report = SampleReport.report()
    let own = report.process.pid
    report.processes[0].cpuSeconds = 0.5
    #expect(ReportNotes.lines(report) { $0 }.allSatisfy { !$0.contains("--process") })
    report.processes.append(
      ProcessTotals(
        pid: own + 1, parentPid: own, name: "worker", cpuSeconds: 8, wakeups: 0, bytesWritten: 0,
        bytesSent: 0, bytesReceived: 0, peakFootprintBytes: nil))
    #expect(
      ReportNotes.lines(report) { $0 }.contains(
        "The score is of server alone, which used 500 ms of the 8.5 s of CPU time; "
          + "worker used 8 s: --process \(own + 1) scores it."))
  }

  private func scored(_ score: Double, _ profile: String = "app") -> Report {
    var report = SampleReport.report()
    report.score.profile = profile
    (report.score.overall, report.score.low, report.score.high) = (score, score, score)
    return report
  }

  // It said "scores 20 less" above a table that said "too few runs to tell".
  @Test(arguments: ["too few runs to tell", "within the noise", "worse", nil])
  func `the headline says of the score what the statistics say, and no more`(verdict: String?)
    throws
  {
    let statistics = verdict.map {
      ComparisonStatistic(
        path: "score.overall", base: 80, new: 60, change: "−25 %", verdict: $0,
        isWorse: $0 == "worse" ? true : nil)
    }
    let page = try HTMLComparison.render(
      base: scored(80), new: scored(60), statistics: statistics.map { [$0] } ?? [])
    let said = verdict.map { ": \($0)" } ?? ""
    #expect(page.contains("<bdi>server scores 80 before, 60 now\(said)</bdi></h1>"))
  }

  // A tool that took twice as long and twice the CPU time had "the same" CPU time a minute.
  @Test func `what a tool adds up is compared a run`() throws {
    var base = scored(80, "tool")
    base.trace.durationSeconds = 2
    base.signals.cpu?.totalSeconds = 1
    var new = base
    new.trace.durationSeconds = 4
    new.signals.cpu?.totalSeconds = 2
    let time = try #require(
      ComparedFigures.rows(base, new).first { $0.title == "CPU time a run" })
    #expect(time.base == "1 s" && time.new == "2 s" && time.difference == "+1 s (+100 %)")
    #expect(try HTMLComparison.render(base: base, new: new).contains("over time is given a run."))
    new.score.profile = "app"
    #expect(ComparedFigures.rows(base, new).contains { $0.title == "CPU time a minute" })
  }
}
