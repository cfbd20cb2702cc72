import Foundation
import Signals
import Testing

@testable import Reporting

@Suite struct PageTests {
  private let timeline = Timeline(
    durationSeconds: 60, phases: [TimelinePhase(name: "launch", start: 0, end: 0.35)])

  @Test(arguments: [
    ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
    ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    (String(repeating: "a", count: 1_000), "Qe3s5C1j6Nm/UVqbppMuHCDLyfWl0TRkWttdsblzfqM="),
  ])
  func `the content hash is SHA-256`(text: String, expected: String) throws {
    // The expected values are those of `printf … | openssl dgst -sha256 -binary | base64`.
    #expect(ContentHash.source(text) == "sha256-" + expected)
  }

  @Test func `a page is made of the same bytes each time, and asks the network for nothing`() throws
  {
    let report = SampleReport.report()
    let page = try HTMLReport.render(report, timeline: timeline)
    #expect(page == (try HTMLReport.render(report, timeline: timeline)))
    #expect(page.contains("default-src 'none'"))
    for reference in [
      "src=\"http", "href=\"http", "url(http", "url(//", "url(\"", "url('", "@import", "import(",
      "fetch(",
    ] {
      #expect(!page.contains(reference), "\(reference)")
    }
    #expect(page.contains("Loader.loadAll()"))
    #expect(!page.contains("{{"))
  }

  // CSS has no way to say them once that browsers of before 2024 know.
  @Test func `the dark colours are the same by choice and by the system's wish`() throws {
    let page = try HTMLReport.render(SampleReport.report(), timeline: timeline)
    let selectors = [":root[data-theme=\"dark\"] {", ":root:not([data-theme=\"light\"]) {"]
    let colours = try selectors.map { selector in
      let start = try #require(page.range(of: selector)).upperBound
      let end = try #require(page[start...].firstIndex(of: "}"))
      return page[start..<end].split(whereSeparator: \.isWhitespace)
    }
    #expect(colours[0] == colours[1] && colours[0].contains("dark;"))
  }

  @Test func `the report in the page is the report`() throws {
    let report = SampleReport.report()
    let page = try HTMLReport.render(report, timeline: timeline)
    let start = try #require(page.range(of: "id=\"report-data\">"))
    let end = try #require(page[start.upperBound...].range(of: "</script>"))
    let embedded = try JSONReport.parse(String(page[start.upperBound..<end.lowerBound]))
    #expect(try JSONReport.render(embedded) == JSONReport.render(report))
  }

  @Test func `an audit's curve is in the JSON and drawn`() throws {
    let report = SampleReport.report()
    let audit = try #require(report.audits.first { $0.id == "main-thread-hangs" })
    #expect(audit.curve == CurveSection(p10: 1200, median: 3600))
    let drawing = try #require(
      CurveDrawing(CurveSection(p10: 200, median: 600), value: 600, limit: nil, unit: "ms"))
    #expect(drawing.dotX == drawing.medianX)
    #expect(drawing.label.contains("the value 600 ms is at 50"))
    #expect(try HTMLReport.render(report, timeline: nil).contains("class=\"curve\""))
  }

  // It said "No finding: ."
  @Test func `why there is no finding is said wherever it is said that there is none`() throws {
    var report = SampleReport.report()
    for index in report.audits.indices where report.audits[index].status.isScored {
      report.audits[index].status = .pass
    }
    let page = try HTMLReport.render(report, timeline: nil)
    let reason = Findings.whyNone(report)
    #expect(!page.contains("No finding: ."))
    #expect(page.components(separatedBy: "No finding: \(reason).").count == 3)
  }

  @Test func `a long command line is shown to be cut, and opens`() throws {
    var report = SampleReport.report()
    #expect(
      try HTMLReport.render(report, timeline: nil).contains("<p class=\"command\"><code>server"))
    report.process.commandLine = ["server"] + (0..<40).map { "--option-\($0)=value" }
    let page = try HTMLReport.render(report, timeline: nil)
    let whole = report.process.commandLine.joined(separator: " ")
    #expect(page.contains("<code class=\"command-start\">\(whole.prefix(120))…</code>"))
    #expect(page.contains("<code>\(whole)</code></details>"))
  }
}
