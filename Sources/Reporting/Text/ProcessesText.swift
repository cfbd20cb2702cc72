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
      canvas.line((row(process, width, report.signals), style))
    }
    let rest = sorted.dropFirst(rowsShown)
    guard !rest.isEmpty else { return }
    let total = ProcessTotals(
      pid: 0, parentPid: nil, name: "\(rest.count) more",
      cpuSeconds: rest.reduce(0) { $0 + $1.cpuSeconds },
      wakeups: rest.reduce(0) { $0 + $1.wakeups },
      bytesWritten: rest.reduce(0) { $0 &+ $1.bytesWritten },
      bytesSent: rest.reduce(0) { $0 &+ $1.bytesSent },
      bytesReceived: rest.reduce(0) { $0 &+ $1.bytesReceived },
      peakFootprintBytes: nil)
    canvas.line((row(total, width, report.signals), .faint))
  }

  /// The one that is scored, then the others by what they cost.
  private static func ranked(_ report: Report) -> [ProcessTotals] {
    let scored = report.process.pid
    return report.shownProcesses.sorted { left, right in
      if (left.pid == scored) != (right.pid == scored) { return left.pid == scored }
      if left.cpuSeconds != right.cpuSeconds { return left.cpuSeconds > right.cpuSeconds }
      return (right.wakeups, left.pid) < (left.wakeups, right.pid)
    }
  }

  /// What was not measured is no zero.
  private static func row(
    _ process: ProcessTotals, _ width: Int, _ signals: SignalsSection
  ) -> String {
    func shown(_ isMeasured: Bool, _ figure: String) -> String { isMeasured ? figure : "-" }
    let isSeen = process.isLookedAt != true
    return row(
      process.pid == 0 ? "" : String(process.pid), Escaped.text(process.name),
      [
        shown(signals.cpu != nil, Figures.seconds(process.cpuSeconds)),
        shown(isSeen && signals.wakeups != nil, Figures.grouped(process.wakeups)),
        shown(isSeen && signals.disk != nil, Figures.bytes(process.bytesWritten)),
        shown(isSeen && signals.network != nil, Figures.bytes(process.bytesSent)),
        shown(isSeen && signals.network != nil, Figures.bytes(process.bytesReceived)),
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
