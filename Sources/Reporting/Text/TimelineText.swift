import Quantities

/// The recording as lines of bars, one for each signal.
enum TimelineText {
  private static let bars = Array("▁▂▃▄▅▆▇█")
  private static let labelWidth = 15

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    guard let overview = report.overview else { return }
    let rows = rows(overview)
    guard !rows.isEmpty else { return }
    canvas.heading("Timeline")
    let width = min(Int(60), canvas.options.width - labelWidth)
    let first = overview.start ?? 0
    let start = Figures.seconds(first)
    let end = Figures.seconds(first + report.trace.durationSeconds)
    let middle = String(
      repeating: " ", count: max(1, width - Columns.width(start) - Columns.width(end)))
    canvas.line((Columns.padded("", to: labelWidth), .plain), (start + middle + end, .faint))
    for row in rows {
      canvas.line(
        (Columns.padded("  " + row.label, to: labelWidth), .plain),
        (line(row.values, most: row.most, width: width), row.style))
    }
  }

  /// Values as bars, each a share of `most`; what is zero is blank, however small the rest.
  static func line(_ values: [Double], most: Double, width: Int) -> String {
    guard width > 0, !values.isEmpty else { return "" }
    return String(
      (0..<width).map { column -> Character in
        let start = column * values.count / width
        let end = max(start + 1, (column + 1) * values.count / width)
        let value = values[start..<min(end, values.count)].max() ?? 0
        guard value > 0, most > 0 else { return " " }
        let step = Int((value / most * Double(bars.count)).rounded(.up))
        return bars[min(max(step, 1), bars.count) - 1]
      })
  }

  private struct Row {
    var label: String
    var values: [Double]
    var most: Double
    var style: TextCanvas.Style
  }

  private static func rows(_ overview: OverviewSection) -> [Row] {
    var rows: [Row] = []
    func add(
      _ label: String, _ values: [Double], most: Double? = nil, style: TextCanvas.Style = .plain
    ) {
      let highest = values.max() ?? 0
      guard highest > 0 else { return }
      rows.append(Row(label: label, values: values, most: most ?? highest, style: style))
    }
    add("main thread", overview.mainThreadBusy, most: 1, style: .bad)
    add("CPU", overview.cores, most: max(1, overview.cores.max() ?? 1), style: .good)
    add("wakeups", overview.wakeups)
    add("network", overview.networkBytes)
    add("written", overview.diskBytes)
    add("footprint", overview.footprintBytes)
    return rows
  }
}
