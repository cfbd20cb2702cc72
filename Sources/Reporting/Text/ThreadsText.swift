import Quantities

/// The table of threads: what each used, and of event loops how busy they were and how long their turns took.
enum ThreadsText {
  private static let rowsShown = 10
  /// A column of figures, with the space before it.
  private static let column = 9

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    let rows = ThreadRow.rows(of: report, by: .cpu)
    // A thread alone is the main thread, of which all is told above.
    guard rows.count > 1 else { return }
    canvas.heading("Threads")
    let titles = ["CPU", "blocked", "turns/s", "busy", "p50", "p99"]
    let width = max(canvas.options.width - 9 - titles.count * column, 8)
    func line(_ tid: String, _ name: String, _ figures: [String]) -> String {
      Columns.rightAligned(tid, to: 9) + " "
        + Columns.padded(Columns.clip(name, to: width - 2), to: width - 1)
        + figures.map { Columns.rightAligned($0, to: column) }.joined()
    }
    canvas.line((line("tid", "name", titles), .faint))
    for row in rows.prefix(rowsShown) {
      let figures = [
        report.signals.cpu == nil ? "-" : Figures.percent(row.cpuShare),
        report.signals.mainThread == nil ? "-" : row.blocked.text,
        row.turnsPerSecond.map { Figures.brief($0) } ?? "-",
        row.utilisation.map { Figures.percent($0) } ?? "-",
        row.turnMedianSeconds.map { Figures.seconds($0) } ?? "-",
        row.turnP99Seconds.map { Figures.seconds($0) } ?? "-",
      ]
      canvas.line((line(String(row.tid), Escaped.text(row.name), figures), .plain))
    }
    if rows.count > rowsShown {
      canvas.line(("          \(rows.count - rowsShown) more", .faint))
    }
    if rows.contains(where: { $0.turnsPerSecond != nil }) {
      canvas.paragraph(
        "turns are those of event loops, from one wait for events to the next: busy is the share of the time in "
          + "them, p50 and p99 what half and 99 of a hundred did not exceed", style: .faint)
    }
  }
}
