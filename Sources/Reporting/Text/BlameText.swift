import Quantities

/// The functions that cost most, signal by signal.
enum BlameText {
  private static let rowsShown = 3

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    let blame = report.blame
    func processor(_ rows: [BlameRowSection]) -> (BlameRowSection) -> String {
      let events = max(rows.reduce(0) { $0 + $1.count }, 1)
      let time = max(rows.reduce(0) { $0 + $1.selfSeconds }, 1e-9)
      let isTold = rows.reduce(0) { $0 + ($1.samples ?? 0) } >= leastForShares
      return {
        let digits = $0.digits
        let share =
          isTold ? "\(Figures.percent($0.selfSeconds / time, digits: digits)), " : ""
        return
          (blame.cpuEvent == nil
          ? share + Figures.seconds($0.selfSeconds, digits: digits)
          : Figures.percent($0.count / events, digits: digits)) + sampling($0)
      }
    }
    let children = blame.cpuOfChildren ?? []
    let tables: [(String, [BlameRowSection], (BlameRowSection) -> String)] = [
      (
        blame.cpuEvent.map { Columns.clip(Escaped.text($0), to: 16) } ?? "CPU time", blame.cpu,
        processor(blame.cpu)
      ),
      ("CPU, children", children, processor(children)),
      (
        "blocked", blame.blocked,
        {
          "\(Figures.seconds($0.selfSeconds)) \(TextReport.words(Escaped.text($0.cause ?? "")))"
        }
      ),
      ("wakeups", blame.wakeups, { Figures.grouped(Int(saturating: $0.count.rounded())) }),
      (
        "written", blame.disk,
        { written($0) }
      ),
      (
        "read", blame.reads ?? [],
        { volume($0, "read") }
      ),
      (
        "sent", blame.network,
        {
          let calls = Int(saturating: $0.count.rounded())
          return Figures.bytes(UInt64(saturating: $0.bytes))
            + (calls == 0 ? "" : " in " + Figures.count(calls, "send"))
        }
      ),
    ]
    guard tables.contains(where: { !$0.1.isEmpty }) else { return }
    canvas.heading("To blame")
    for (title, rows, amount) in tables {
      let worst = rows.prefix(rowsShown).filter {
        $0.selfSeconds + $0.count + ($0.syncs ?? 0) + $0.bytes > 0
      }
      for (index, row) in worst.enumerated() {
        let frame = ReportFrame(
          function: row.function, module: row.module, file: row.file, line: row.line,
          isProgram: true)
        canvas.item(index == 0 ? title : "", "\(amount(row)): \(TextReport.place(frame))")
      }
    }
  }

  /// A function may have done only one of the two.
  private static func written(_ row: BlameRowSection) -> String {
    guard let syncs = row.syncs else { return volume(row, "write") }
    let counted = Figures.count(Int(saturating: syncs.rounded()), "sync")
    return row.count > 0 ? "\(volume(row, "write")), \(counted)" : counted
  }

  private static func volume(_ row: BlameRowSection, _ noun: String) -> String {
    let calls = Int(saturating: row.count.rounded())
    return "\(Figures.bytes(UInt64(saturating: row.bytes))) in \(Figures.count(calls, noun))"
  }

  /// A share of fewer samples would say less than their number.
  private static let leastForShares = 20

  /// With fewer samples the bounds are farther than a fifth from the figure.
  private static let fewSamples = 100

  /// Between what limits a figure lies that few samples tell.
  private static func sampling(_ row: BlameRowSection) -> String {
    guard let samples = row.samples, samples < fewSamples else { return "" }
    let counted = Figures.count(samples, "sample")
    guard let bounds = row.selfSecondsInterval, bounds.count == 2 else { return " (\(counted))" }
    return
      " (\(Figures.seconds(bounds[0], digits: 2)) to \(Figures.seconds(bounds[1], digits: 2)), \(counted))"
  }
}
