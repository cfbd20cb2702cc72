import Quantities

/// The system calls of each thread that took longest, or that are most where their times were not recorded.
enum SystemCallsText {
  private static let rowsShown = 12
  /// A column of figures, with the space before it.
  private static let column = 9

  static func write(_ report: Report, to canvas: inout TextCanvas) {
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
