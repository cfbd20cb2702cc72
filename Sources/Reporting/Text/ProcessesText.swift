import Quantities

/// The table of every process's totals.
enum ProcessesText {
  private static let rowsShown = 40
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
    for process in report.processes.prefix(rowsShown) {
      let style: TextCanvas.Style =
        process.pid == report.process.pid && report.processes.count > 1 ? .heading : .plain
      canvas.line((row(process, width), style))
    }
    let rest = report.processes.dropFirst(rowsShown)
    guard !rest.isEmpty else { return }
    let total = ProcessTotals(
      pid: 0, parentPid: nil, name: "\(rest.count) more",
      cpuSeconds: rest.reduce(0) { $0 + $1.cpuSeconds },
      wakeups: rest.reduce(0) { $0 + $1.wakeups },
      bytesWritten: rest.reduce(0) { $0 &+ $1.bytesWritten },
      bytesSent: rest.reduce(0) { $0 &+ $1.bytesSent },
      bytesReceived: rest.reduce(0) { $0 &+ $1.bytesReceived },
      peakFootprintBytes: nil)
    canvas.line((row(total, width), .faint))
  }

  private static func row(_ process: ProcessTotals, _ width: Int) -> String {
    row(
      process.pid == 0 ? "" : String(process.pid), Escaped.text(process.name),
      [
        Figures.seconds(process.cpuSeconds), Figures.grouped(process.wakeups),
        Figures.bytes(process.bytesWritten), Figures.bytes(process.bytesSent),
        Figures.bytes(process.bytesReceived),
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
