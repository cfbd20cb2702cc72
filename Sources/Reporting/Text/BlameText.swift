import Quantities

/// The functions that cost most, signal by signal.
enum BlameText {
  private static let rowsShown = 3

  /// Time by samples, with as many digits as their number bears out.
  private static func sampled(_ row: BlameRowSection) -> String {
    let samples = Int(row.count.rounded())
    guard samples > 0 else { return Figures.seconds(row.selfSeconds) }
    let digits = samples < 30 ? 1 : samples < 1000 ? 2 : 3
    return "\(Figures.seconds(row.selfSeconds, digits: digits)) in "
      + Figures.count(samples, "sample")
  }

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    let blame = report.blame
    let events = blame.cpu.reduce(0) { $0 + $1.count }
    let tables: [(String, [BlameRowSection], (BlameRowSection) -> String)] = [
      (
        blame.cpuEvent.map { Columns.clip(Escaped.text($0), to: 16) } ?? "CPU time", blame.cpu,
        {
          blame.cpuEvent == nil ? sampled($0) : Figures.percent($0.count / max(events, 1))
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
