import Quantities

/// The intervals that the program marked and the tests that ran, the costliest first.
enum IntervalsText {
  private static let rowsShown = 10

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    let tests = report.intervals.filter(\.isTest)
    write("Intervals", report.intervals.filter { !$0.isTest }, &canvas)
    write("Tests", tests, &canvas)
    if areTogether(tests) {
      canvas.paragraph(
        "Tests ran at the same time, so each has the cost of its neighbours too; "
          + "`swift test --no-parallel` tells them apart.", indent: 2)
    }
  }

  private static func write(
    _ title: String, _ intervals: [IntervalSection], _ canvas: inout TextCanvas
  ) {
    guard !intervals.isEmpty else { return }
    canvas.heading(title)
    let sorted = intervals.sorted {
      ($0.cpuSeconds, $0.durationSeconds) > ($1.cpuSeconds, $1.durationSeconds)
    }
    for interval in sorted.prefix(rowsShown) {
      let text =
        "\(Figures.seconds(interval.durationSeconds))\(interval.isOpen ? " (its end was not seen)" : ""), "
        + "\(Figures.seconds(interval.cpuSeconds)) CPU, "
        + "\(Figures.count(interval.wakeups, "wakeup")), "
        + "\(Figures.bytes(interval.bytesWritten)) written"
        + (interval.outcome == "failed" ? ", failed" : "")
      canvas.line((Columns.clip("  " + Escaped.text(interval.name), to: 78), .plain))
      canvas.paragraph(text, indent: 4)
    }
    if sorted.count > rowsShown {
      canvas.paragraph("and \(sorted.count - rowsShown) more in the JSON report", indent: 2)
    }
  }

  /// Whether two tests of one process overlap.
  private static func areTogether(_ tests: [IntervalSection]) -> Bool {
    Dictionary(grouping: tests, by: \.pid).values.contains { tests in
      let sorted = tests.sorted { $0.start < $1.start }
      return zip(sorted, sorted.dropFirst()).contains {
        $0.start + $0.durationSeconds > $1.start
      }
    }
  }
}

extension IntervalSection {
  /// Whether it is a test rather than an interval that the program marked.
  var isTest: Bool { how == "xctest" || how == "swift-testing" }
}
