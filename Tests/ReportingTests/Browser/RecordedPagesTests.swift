import Foundation
import Quantities
import Signals
import TestSupport
import Testing
import TraceModel

@testable import Reporting

/// The page of every recording in `Traces/`, in a real browser.
@Suite(
  .serialized,
  .enabled(if: Browser.path != nil, "chromium is not installed; apt-get install chromium"),
  .enabled(if: BuiltLull.path != nil, "lull was not built beside the tests"))
struct RecordedPagesTests {
  @Test(arguments: RecordedReportsTests.traces)
  func `a recording's page loads without a complaint, and says what its JSON says`(
    trace: String
  ) throws {
    func written(_ format: String) throws -> String {
      let result = try BuiltLull.run(
        ["report", "Traces/\(trace)", "--format", format], in: RecordedReportsTests.root)
      try #require(result.status == 0, "\(result.errors)")
      return result.output
    }
    let report = try JSONReport.parse(written("json"))
    let browser = try Browser()
    try browser.show(written("html"))
    #expect(try browser.text("document.documentElement.dataset.ready") == "yes")
    for (id, score) in [("overall", ShownScore(report.score))]
      + report.score.categories.map({ ($0.id, ShownScore($0, of: report.score)) })
    {
      let number = "document.querySelector('[data-gauge=\"\(id)\"] .gauge-number').textContent"
      #expect(try browser.text(number) == score.text("–") ?? "–")
    }
    try saysWhatTheReportSays(browser, report)
    #expect(browser.complaints == [])
    #expect(browser.dialogs == [])
    #expect(browser.requests.allSatisfy { $0.hasPrefix("file:") || $0.hasPrefix("data:") })
  }

  /// The figures below the timeline are the text's, where they are of the whole recording.
  private func saysWhatTheReportSays(_ browser: Browser, _ report: Report) throws {
    _ = try browser.value("document.getElementById('tl-fit').click()")
    func figure(_ title: String) throws -> Double {
      try browser.number(
        """
        (() => {
          const all = Array.from(document.querySelectorAll("#tl-figures > div"));
          const one = all.find((item) => item.querySelector("dt").textContent === "\(title)");
          return one ? Number(one.querySelector("dd").dataset.value) : NaN;
        })()
        """)
    }
    func near(_ title: String, _ expected: Double?) throws {
      guard let expected else { return }
      let shown = try figure(title)
      // A lane is left out where its thread is not known.
      guard !shown.isNaN else { return }
      #expect(
        abs(shown - expected) <= 0.001 + 0.01 * expected, "\(title): \(shown), not \(expected)")
    }
    let signals = report.signals
    try near("Main thread running", signals.mainThread?.runningSeconds)
    try near("Idle", signals.mainThread?.idleSeconds)
    try near("Wakeups", signals.wakeups.map { Double($0.total) })
    try near("Written", signals.disk.map { Double($0.bytesWritten) })
    try near("Syncs", signals.disk.map { Double($0.syncs) })
    try says(browser, "Syncs", signals.disk?.syncSeconds) { ", taking \(Figures.seconds($0))" }
    try says(browser, "Main thread running", signals.mainThread?.runningSeconds)
    try says(browser, "Idle", signals.mainThread?.idleSeconds)
    try says(browser, "CPU", signals.cpu?.totalSeconds)
    let seconds = max(report.livedSeconds, 1e-6)
    try says(browser, "CPU", signals.cpu.map { $0.totalSeconds / seconds }) {
      "(\(Figures.percent($0)) of a core)"
    }
    try says(browser, "Wakeups", signals.wakeups?.perSecond) { "(\(Figures.brief($0)) a second)" }
    try near("CPU", signals.cpu?.totalSeconds)
    try near("Footprint", signals.memory.map { Double($0.peakFootprintBytes) })
  }

  /// To the last digit that is shown: 9.58 ms on the page were 9.61 ms in the text.
  private func says(
    _ browser: Browser, _ title: String, _ value: Double?,
    _ words: (Double) -> String = { Figures.seconds($0) }
  ) throws {
    guard let value, value > 0 else { return }
    let said = try browser.text(
      """
      (Array.from(document.querySelectorAll("#tl-figures > div"))
        .find((item) => item.querySelector("dt").textContent === "\(title)") || { textContent: "" })
        .textContent
      """)
    // A lane is left out where its thread is not known.
    guard !said.isEmpty else { return }
    #expect(said.contains(words(value)), "\(said)")
  }
}
