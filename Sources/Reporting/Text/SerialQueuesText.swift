import Quantities

/// The serial queues whose work took longest, each by its label.
enum SerialQueuesText {
  private static let rowsShown = 8

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    guard let queues = report.signals.serialQueues, !queues.isEmpty else { return }
    canvas.heading("Serial queues")
    for queue in queues.prefix(rowsShown) {
      let label =
        queue.label.map { Columns.clip(Escaped.text($0), to: 40) } ?? "without a known label"
      var text = label + ": "
      if queue.blockedSeconds > 0 {
        text +=
          "\(Figures.seconds(queue.blockedSeconds)) blocked, the longest "
          + Figures.seconds(queue.longestSeconds)
        if let worst = queue.blockings.first {
          text += ", most of it \(TextReport.words(Escaped.text(worst.cause)))"
          if let frame = worst.stack.blamed { text += " in \(TextReport.place(frame))" }
        }
      } else {
        text += "never blocked"
      }
      if let seconds = queue.cpuSeconds, seconds > 0 {
        text += "; some \(Figures.seconds(seconds)) of CPU time"
      }
      canvas.paragraph(text, indent: 2, hanging: 4)
    }
    if queues.count > rowsShown {
      canvas.paragraph("and \(Figures.count(queues.count - rowsShown, "other")) of less")
    }
  }
}
