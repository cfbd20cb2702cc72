import Testing

@testable import Reporting

@Suite struct IntervalTableTests {
  private func interval(_ name: String, how: String, cpu: Double) -> IntervalSection {
    IntervalSection(
      name: name, start: 1, durationSeconds: 2, isOpen: false, thread: "worker", cpuSeconds: cpu,
      wakeups: 3, bytesSent: 4, bytesReceived: 5, bytesWritten: 6, how: how,
      outcome: how == "library" ? nil : "failed", pid: nil)
  }

  // The text had them, the page had not.
  @Test func `the page has a table of tests and one of intervals, the costliest first`() throws {
    var report = SampleReport.report()
    report.intervals = [
      interval("cheap()", how: "xctest", cpu: 0.1),
      interval("dear()", how: "swift-testing", cpu: 2),
      interval("load", how: "library", cpu: 1),
    ]
    let tables = ReportTables.tables(report)
    let tests = try #require(tables.first { $0.id == "tests" })
    #expect(tests.rows.map { $0.cells[0].text } == ["dear()", "cheap()"])
    #expect(tests.rows.allSatisfy { $0.cells[1].text == "failed" })
    let intervals = try #require(tables.first { $0.id == "intervals" })
    #expect(intervals.rows.map { $0.cells[0].text } == ["load"])
    #expect(intervals.rows[0].cells[1].text == "worker")
    report.intervals = []
    #expect(!ReportTables.tables(report).contains { ["tests", "intervals"].contains($0.id) })
  }
}
