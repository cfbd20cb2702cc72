import Foundation
import PerfData
import Rules
import Signals
import Testing
import TraceModel

@testable import Reporting

/// Pictures of a page for the README, made anew by
/// `LULL_WRITE_REPORTS=1 swift test --filter RecordedReportsPictures`.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["LULL_WRITE_REPORTS"] != nil && Browser.path != nil,
    "set LULL_WRITE_REPORTS to make the pictures of Reports/ again")
)
struct RecordedReportsPictures {
  /// The recording that shows most, by its number of lanes.
  private static func page(root: URL) throws -> String {
    let folder = root.appendingPathComponent("Traces")
    let traces = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".perf.data") }
    var best: (lanes: Int, page: String)?
    for name in traces {
      let trace = try Trace.load(path: folder.appendingPathComponent(name).path)
      let options = MeasurementOptions(includeLoopback: true)
      let signals = try Measurement.measure(trace, options: options)
      let timeline = try Timeline.measure(trace, signals: signals, options: options)
      let lanes =
        Set(timeline.lanes.map(\.kind)).count * 100 + (signals.mainThread?.hangs.count ?? 0)
      guard lanes > best?.lanes ?? 0 else { continue }
      let report = ReportBuilder.build(
        trace: trace, signals: signals, evaluation: Evaluator.evaluate(signals),
        generatorVersion: "0.1.0")
      best = (lanes, try HTMLReport.render(report, timeline: timeline))
    }
    return try #require(best?.page, "there is no trace in Traces/")
  }

  @Test func `three widths in two themes`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try Self.page(root: root)
    let folder = root.appendingPathComponent("Reports")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (width, height, scale) in [(360, 780, 1.0), (1280, 960, 1.0), (3840, 2160, 0.4)] {
      for theme in ["light", "dark"] {
        let browser = try Browser(width: width, height: height)
        try browser.setTheme(theme)
        try browser.show(page)
        let picture = try browser.picture(
          scale: scale, width: Double(width), height: Double(height))
        #expect(picture.count > 5000 && picture.count < 200_000, "\(width) \(theme)")
        try picture.write(to: folder.appendingPathComponent("page-\(width)-\(theme).png"))
        #expect(browser.complaints == [])
      }
    }
  }
}
