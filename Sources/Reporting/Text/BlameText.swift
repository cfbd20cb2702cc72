import Quantities

/// The functions that cost most, signal by signal.
enum BlameText {
  private static let rowsShown = 3

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    let blame = report.blame
    let events = blame.cpu.reduce(0) { $0 + $1.count }
    let tables: [(String, [BlameRowSection], (BlameRowSection) -> String)] = [
      (
        blame.cpuEvent.map { Columns.clip(Escaped.text($0), to: 16) } ?? "CPU time", blame.cpu,
        {
          blame.cpuEvent == nil
            ? Figures.seconds($0.selfSeconds) : Figures.percent($0.count / max(events, 1))
        }
      ),
      (
        "blocked", blame.blocked,
        {
          "\(Figures.seconds($0.selfSeconds)) \(TextReport.words(Escaped.text($0.cause ?? "")))"
        }
      ),
      ("wakeups", blame.wakeups, { Figures.grouped(Int($0.count.rounded())) }),
      (
        "written", blame.disk,
        {
          "\(Figures.bytes(UInt64(max(0, $0.bytes)))) in \(Figures.count(Int($0.count.rounded()), "call"))"
        }
      ),
      (
        "sent", blame.network,
        {
          "\(Figures.bytes(UInt64(max(0, $0.bytes)))) in \(Figures.count(Int($0.count.rounded()), "send"))"
        }
      ),
    ]
    guard tables.contains(where: { !$0.1.isEmpty }) else { return }
    canvas.heading("To blame")
    for (title, rows, amount) in tables {
      let worst = rows.prefix(rowsShown).filter { $0.selfSeconds + $0.count + $0.bytes > 0 }
      for (index, row) in worst.enumerated() {
        let frame = ReportFrame(
          function: row.function, module: row.module, file: row.file, line: row.line,
          isProgram: true)
        canvas.item(index == 0 ? title : "", "\(amount(row)): \(TextReport.place(frame))")
      }
    }
  }
}
