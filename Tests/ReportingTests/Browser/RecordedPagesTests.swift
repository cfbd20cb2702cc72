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
    #expect(browser.complaints == [])
    #expect(browser.dialogs == [])
    #expect(browser.requests.allSatisfy { $0.hasPrefix("file:") || $0.hasPrefix("data:") })
  }
}
