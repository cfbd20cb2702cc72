import Quantities
import Rules

/// A short form for comments on changes and summaries of builds.
package enum MarkdownReport {
  private static let findingsShown = 10

  /// The report as Markdown; names in it cannot form markup.
  package static func render(_ report: Report) -> String {
    var lines: [String] = []
    let overall =
      report.score.overall.map { "\(Figures.fixed($0, 0)) of 100" } ?? "no score: "
      + Findings.whyNoScore(report)
    lines.append("### Lull: \(Escaped.markdown(report.process.name)): \(overall)")
    lines.append("")
    let notes = ReportNotes.lines(report, shown: Escaped.markdown)
    lines += notes.map { "> \($0)" }
    if lines.last != "" { lines.append("") }
    lines += table(
      ["Category", "Score"],
      report.score.categories.map {
        [Escaped.markdown($0.title), $0.score.map { Figures.fixed($0, 0) } ?? "–"]
      })
    let findings = Findings.of(report)
    if findings.isEmpty {
      lines.append("No findings: \(Findings.whyNone(report)).")
      lines.append("")
    } else {
      lines += table(
        ["Rule", "Status", "Found", "Blame", "Guide"],
        findings.prefix(findingsShown).map { audit in
          [
            Escaped.markdown(audit.id), audit.status == .fail ? "fail" : "warn",
            Escaped.markdown(audit.displayValue),
            Findings.blame(audit).map(Escaped.inert) ?? "",
            audit.guide.first.map { Escaped.markdown($0.section) } ?? "",
          ]
        })
      if findings.count > findingsShown {
        lines.append("and \(findings.count - findingsShown) more.")
        lines.append("")
      }
    }
    lines += table(["Signal", "Measured"], signals(report))
    lines.append(Escaped.inert("Recording: " + RecordingText.losses(report.trace) + "."))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func signals(_ report: Report) -> [[String]] {
    let signals = report.signals
    let none = "not measured"
    return [
      [
        "Main thread",
        signals.mainThread.map {
          "blocked \(Figures.seconds($0.blockedSeconds)), "
            + ($0.hasEventLoop ? Figures.count($0.hangs.count, "hang") : "no event loop")
        } ?? none,
      ],
      [
        "Wakeups",
        signals.wakeups.map {
          "\(Figures.brief($0.perSecond)) a second, \(Figures.brief($0.idlePerSecond)) idle"
        } ?? none,
      ],
      [
        "Network",
        signals.network.map {
          "\(Figures.bytes($0.bytesSent)) sent, \(Figures.bytes($0.bytesReceived)) received, "
            + "radio \(Figures.joules($0.radio.energyJoules))"
        } ?? none,
      ],
      [
        "Disk",
        signals.disk.map {
          "\(Figures.bytes($0.bytesWritten)) in \(Figures.count($0.writes, "write")), "
            + Figures.count($0.syncs, "sync")
        } ?? none,
      ],
      [
        "Memory",
        signals.memory.map { "peak \(Figures.bytes($0.peakFootprintBytes))" } ?? none,
      ],
    ]
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
    guard !rows.isEmpty else { return [] }
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    return [line(head), line(head.map { _ in "---" })] + rows.map(line) + [""]
  }
}
