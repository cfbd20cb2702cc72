import Quantities

/// The system calls of each thread that took longest, or that are most where their times were not recorded.
enum SystemCallsText {
  private static let rowsShown = 12
  /// A column of figures, with the space before it.
  private static let column = 9

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    byThread(report, &canvas)
    byFunction(report, &canvas)
  }

  private static func byFunction(_ report: Report, _ canvas: inout TextCanvas) {
    guard let calls = report.blame.calls, !calls.isEmpty else { return }
    canvas.heading("System calls by function")
    func row(_ call: String, _ figures: [String], _ function: String) -> String {
      "  " + Columns.padded(Columns.clip(call, to: 15), to: 15)
        + figures.map { Columns.rightAligned($0, to: column) }.joined() + "  "
        + Columns.clipEnd(function, to: max(canvas.options.width - 19 - 3 * column, 8))
    }
    canvas.line((row("call", ["calls", "waits", "waited"], "function"), .faint))
    for call in calls.prefix(rowsShown) {
      let figures = [
        call.calls.map { Figures.grouped(Int(saturating: $0.rounded())) } ?? "-",
        Figures.grouped(call.waits), Figures.seconds(call.seconds),
      ]
      canvas.line((row(Escaped.text(call.call), figures, Escaped.text(call.function)), .plain))
    }
    if calls.count > rowsShown {
      canvas.line(
        ("  and \(Figures.count(calls.count - rowsShown, "more row", "more rows"))", .faint))
    }
    canvas.paragraph(
      "waited is time off the CPU in the call; -: of these calls those that waited are known",
      style: .faint)
  }

  private static func byThread(_ report: Report, _ canvas: inout TextCanvas) {
    guard let calls = report.signals.systemCalls, !calls.isEmpty else { return }
    canvas.heading("System calls")
    let width = max(canvas.options.width - 17 - 5 * column, 8)
    let titles = ["calls", "errors", "total", "mean", "longest"]
    canvas.line((row("thread", "call", titles, width), .faint))
    for call in calls.prefix(rowsShown) {
      let figures =
        [Figures.grouped(call.count), Figures.grouped(call.errors)]
        + [call.seconds, call.meanSeconds, call.longestSeconds].map {
          $0.map { Figures.seconds($0) } ?? "-"
        }
      canvas.line((row(Escaped.text(call.thread), call.call, figures, width), .plain))
    }
    let rest = calls.dropFirst(rowsShown)
    guard !rest.isEmpty else { return }
    let figures = [
      Figures.grouped(rest.reduce(0) { $0 + $1.count }),
      Figures.grouped(rest.reduce(0) { $0 + $1.errors }),
    ]
    canvas.line((row("", "\(rest.count) more", figures, width), .faint))
  }

  private static func row(
    _ thread: String, _ call: String, _ figures: [String], _ width: Int
  ) -> String {
    "  " + Columns.padded(Columns.clip(thread, to: 15), to: 15)
      + Columns.padded(Columns.clip(call, to: width - 1), to: width)
      + figures.map { Columns.rightAligned($0, to: column) }.joined()
  }
}
