import Signals

/// The report as one page that needs nothing else: no network, no library.
package enum HTMLReport {
  /// The page; equal inputs give equal bytes.
  ///
  /// It holds the costliest of long lists, so that it stays under 3 MB, and says which.
  package static func render(_ report: Report, timeline: Timeline?) throws -> String {
    let bounds = PageBounds(report)
    let report = bounds.report
    let page = ReportPage(
      frame: try PageFrame(
        title: "\(PageText.shown(report.process.name)): Lull report",
        reportData: JSONReport.compact(report),
        timelineData: timeline.map(JSONReport.compact) ?? "null", generator: report.generator),
      verdict: VerdictModel(report), findings: FindingsModel(report),
      tables: ReportTables.tables(report), hasTimeline: timeline != nil,
      hasFlame: timeline?.flames.isEmpty == false,
      recording: RecordingModel(report, omissions: bounds.omissions))
    return try PageAssets.library().render(page, withTemplate: "report") ?? ""
  }
}

/// Everything that the page's template shows.
struct ReportPage {
  let frame: PageFrame
  let verdict: VerdictModel
  let findings: FindingsModel
  let tables: [TableModel]
  let hasTimeline: Bool
  let hasFlame: Bool
  let recording: RecordingModel
}

/// What every page begins and ends with: its title, its policy, its data.
struct PageFrame {
  let title: String
  let policy = PageAssets.policy
  let style = PageAssets.style
  let script = PageAssets.script
  let reportData: String
  let timelineData: String
  let generator: String

  init(title: String, reportData: String, timelineData: String, generator: Generator) {
    self.title = title
    self.reportData = PageText.scriptData(reportData)
    self.timelineData = PageText.scriptData(timelineData)
    self.generator = PageText.shown("\(generator.name) \(generator.version)")
  }
}
