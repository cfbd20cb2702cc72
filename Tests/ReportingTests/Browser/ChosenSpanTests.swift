import Rules
import Signals
import TestSupport
import Testing
import TraceModel

@testable import Reporting

/// What goes along with the span that is chosen on the timeline, and what is shown before one is.
@Suite(
  .serialized,
  .enabled(if: Browser.path != nil, "chromium is not installed; apt-get install chromium")
)
struct ChosenSpanTests {
  private func shown(_ app: (report: Report, timeline: Timeline)) throws -> Browser {
    let browser = try Browser()
    try browser.show(HTMLReport.render(app.report, timeline: app.timeline))
    return browser
  }

  private func cell(_ table: String, _ column: Int, of browser: Browser) throws -> Double {
    try browser.number(
      "Number(document.querySelectorAll('#table-\(table) tbody tr')[0].cells[\(column)].dataset.sort)"
    )
  }

  @Test func `tables and the flame graph are of the span that is chosen`() throws {
    let app = try RecordedApp.analysis()
    let browser = try shown(app)
    let hang = try #require(app.report.signals.mainThread?.hangs.first)
    let locked = try #require(hang.blockedByCause["lock"])
    func text(_ selector: String) throws -> String {
      try browser.text("document.querySelector('\(selector)').textContent")
    }
    // Four hangs of 300 ms each.
    #expect(try text("#table-hangs .count") == "4")
    #expect(try cell("blame-blocked", 3, of: browser) > 3.9 * locked)
    let whole = try text("#flame-readout")
    _ = try browser.value("document.getElementById('tl-plot').focus()")
    try browser.press("n")
    try browser.waitUntil(
      "document.getElementById('flame-span').textContent.startsWith('of the span from')")
    #expect(try text("#table-hangs .count") == "1")
    #expect(try text("#table-blame-blocked tbody code") == "Store.flush()")
    #expect(abs(try cell("blame-blocked", 3, of: browser) - locked) < 0.02 * locked)
    #expect(try text("#table-threads tbody td + td") == "100")
    #expect(abs(try cell("threads", 4, of: browser) - locked) < 0.02 * locked)
    let readout = try text("#flame-readout")
    #expect(readout.hasPrefix("all, 3") && readout != whole, "\(readout)")
    // What is known of the whole only says so.
    #expect(try text("#table-files .table-span") == "of the whole recording")
    #expect(try text("#table-hangs .table-span").hasPrefix("of the span from"))
    try browser.press("Escape")
    try browser.waitUntil(
      "document.getElementById('flame-span').textContent === 'of the whole recording'")
    #expect(try text("#flame-readout") == whole)
    #expect(try text("#table-hangs .count") == "4")
    #expect(browser.complaints == [])
  }

  @Test func `a place is in the evidence once, with how often and when`() throws {
    let browser = try shown(try RecordedApp.analysis())
    let evidence = "#audit-main-thread-hangs .evidence > li"
    #expect(try browser.number("document.querySelectorAll('\(evidence)').length") == 1)
    #expect(
      try browser.text("document.querySelector('\(evidence) p').textContent").contains(
        "the worst of 4 at this place"))
    #expect(
      try browser.number("document.querySelectorAll('\(evidence) .jump-time').length") == 4)
  }

  /// Half a minute in which nothing is done, then two seconds of work.
  private func late() throws -> (report: Report, timeline: Timeline) {
    var builder = TraceBuilder()
    let start: UInt64 = 1_000_000_000
    func milliseconds(_ count: Int) -> UInt64 { start + UInt64(count) * 1_000_000 }
    try builder.capture(time: start, rootPid: 100)
    try builder.process(time: start, pid: 100, executable: "/opt/late")
    builder.comm(time: start, pid: 100, tid: 100, name: "late", isExec: true)
    builder.switchIn(time: start, 100)
    try RecordedApp.wait(&builder, at: start + 100_000, until: milliseconds(30_000))
    for turn in 0..<20 {
      let base = 30_000 + turn * 100
      try RecordedApp.wait(&builder, at: milliseconds(base + 60), until: milliseconds(base + 99))
    }
    builder.exit(time: milliseconds(32_000), pid: 100, tid: 100)
    return try builder.withFile { path in
      let trace = try Trace.load(path: path)
      let signals = try Measurement.measure(trace)
      return (
        ReportBuilder.build(
          trace: trace, signals: signals, evaluation: Evaluator.evaluate(signals),
          generatorVersion: "test"), try Timeline.measure(trace, signals: signals)
      )
    }
  }

  @Test func `an idle beginning is not what is shown first`() throws {
    let browser = try shown(try late())
    let title = "document.getElementById('tl-figures-title').textContent"
    let first = try browser.text(title)
    #expect(first.hasPrefix("In view, 29.9"), "\(first)")
    _ = try browser.value("document.getElementById('tl-fit').click()")
    #expect(try browser.text(title) == "Whole recording")
    // Where something is done from the beginning on, all is shown.
    #expect(try shown(try RecordedApp.analysis()).text(title) == "Whole recording")
  }

  @Test func `lanes of threads say what the thread does`() throws {
    let browser = try shown(try RecordedApp.analysis())
    let names = try browser.text(
      "Array.from(document.querySelectorAll('.tl-name')).map((one) => one.textContent).join()")
    #expect(names.contains("Main thread"), "\(names)")
  }
}
