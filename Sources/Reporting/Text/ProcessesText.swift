import Quantities

/// The table of every process's totals.
enum ProcessesText {
  private static let rowsShown = 12
  /// A column of figures, with the space before it.
  private static let column = 9

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    canvas.heading("Processes")
    let width = max(canvas.options.width - 9 - 6 * column, 8)
    canvas.line(
      (
        row(
          "pid", "name", ["CPU", "wakeups", "written", "sent", "received", "peak mem"], width),
        .faint
      ))
    let sorted = ranked(report)
    for process in sorted.prefix(rowsShown) {
      let style: TextCanvas.Style =
        process.pid == report.process.pid && report.processes.count > 1 ? .heading : .plain
      canvas.line((row(process, width), style))
    }
    let rest = sorted.dropFirst(rowsShown)
    guard !rest.isEmpty else { return }
    let total = ProcessTotals(
      pid: 0, parentPid: nil, name: "\(rest.count) more", cpuSeconds: sum(rest, \.cpuSeconds, +),
      wakeups: sum(rest, \.wakeups, &+), bytesWritten: sum(rest, \.bytesWritten, &+),
      bytesSent: sum(rest, \.bytesSent, &+), bytesReceived: sum(rest, \.bytesReceived, &+),
      peakFootprintBytes: nil)
    canvas.line((row(total, width), .faint))
  }

  /// What is known of them together; nil where nothing is.
  private static func sum<Figure>(
    _ rows: ArraySlice<ProcessTotals>, _ figure: (ProcessTotals) -> Figure?,
    _ add: (Figure, Figure) -> Figure
  ) -> Figure? {
    let known = rows.compactMap(figure)
    return known.first.map { known.dropFirst().reduce($0, add) }
  }

  /// The one that is scored, then the others by what they cost.
  private static func ranked(_ report: Report) -> [ProcessTotals] {
    let scored = report.process.pid
    return report.shownProcesses.sorted { left, right in
      if (left.pid == scored) != (right.pid == scored) { return left.pid == scored }
      return left.costsMore(than: right)
    }
  }

  /// What was not measured is no zero.
  private static func row(_ process: ProcessTotals, _ width: Int) -> String {
    row(
      process.pid == 0 ? "" : String(process.pid), Escaped.text(process.name),
      [
        process.cpuSeconds.map { Figures.seconds($0) } ?? "-",
        process.wakeups.map { Figures.grouped($0) } ?? "-",
        process.bytesWritten.map { Figures.bytes($0) } ?? "-",
        process.bytesSent.map { Figures.bytes($0) } ?? "-",
        process.bytesReceived.map { Figures.bytes($0) } ?? "-",
        process.peakFootprintBytes.map { Figures.bytes($0) } ?? "-",
      ], width)
  }

  private static func row(
    _ pid: String, _ name: String, _ figures: [String], _ width: Int
  ) -> String {
    let name = Columns.padded(Columns.clip(name, to: width - 1), to: width - 1)
    return Columns.rightAligned(pid, to: 9) + " " + name
      + figures.map { Columns.rightAligned($0, to: column) }.joined()
  }
}
