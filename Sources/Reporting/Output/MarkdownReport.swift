import Quantities
import Rules

/// A short form for comments on changes and summaries of builds.
package enum MarkdownReport {
  private static let findingsShown = 10

  /// The report as Markdown; names in it cannot form markup.
  package static func render(_ report: Report) -> String {
    var lines: [String] = []
    let overall = ShownScore(report.score).text().map { "\($0) of 100" } ?? "no score"
    lines.append("### Lull: \(Escaped.markdown(report.process.name)): \(overall)")
    lines.append("")
    let notes = ReportNotes.lines(report, shown: Escaped.markdown)
    if let note = report.score.note { lines.append("> \(Escaped.markdown(note))") }
    lines += notes.map { "> \($0)" }
    if lines.last != "" { lines.append("") }
    lines += table(
      ["Category", "Score"],
      report.score.categories.map {
        [Escaped.markdown($0.title), ShownScore($0, of: report.score).text() ?? "–"]
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
    let open = Findings.open(report)
    if !open.isEmpty {
      let seen = open.prefix(findingsShown).map {
        "\(Escaped.markdown($0.id)) (\(Escaped.markdown($0.displayValue)))"
      }
      lines.append("Seen, but too little to tell: \(seen.joined(separator: ", ")).")
      lines.append("")
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
        signals.mainThread.map { "blocked \(Figures.seconds($0.blockedSeconds)), \(turns($0))" }
          ?? none,
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
          ($0.writesAreSampled == true ? "about " : "")
            + "\(Figures.bytes($0.bytesWritten)) in \(Figures.count($0.writes, "write")), "
            + Figures.count($0.syncs, "sync")
        } ?? none,
      ],
      [
        "Memory",
        signals.memory.map { "peak \(Figures.bytes($0.peakFootprintBytes))" } ?? none,
      ],
    ]
  }

  private static func turns(_ thread: MainThreadSection) -> String {
    switch thread.hasEventLoop {
    case true? where thread.hangs.isEmpty && thread.untoldSeconds != nil: "hangs not known"
    case true?: Figures.count(thread.hangs.count, "hang")
    case false?: "no event loop"
    case nil: "what it waited for is not known"
    }
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
    guard !rows.isEmpty else { return [] }
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    return [line(head), line(head.map { _ in "---" })] + rows.map(line) + [""]
  }
}
