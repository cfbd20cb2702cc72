import Reporting

/// Writes a first budget file from runs of the same thing.
package enum BudgetTemplate {
  /// Runs below which nothing can be said of how stable a figure is.
  package static let fewestRuns = 3

  /// How far runs may be apart, as a share of their median, for a figure to be gated.
  private static let stable = 0.1

  /// The room that a figure which may vary has at the least, as a share of it.
  private static let leastRoom = 0.1

  /// The budget file's text.
  package static func render(_ runs: [Run]) -> String {
    var text = """
      # Budgets for `lull check`. Written from \(runs.count) runs of \
      \(Escaped.text(runs.first?.report.process.name ?? "the program")):
      # tighten a limit when the program gets better, and say why in `note` when you loosen one. A limit leaves so much
      # room that a thousand runs like these would break it once; ten runs bear out much closer ones than three.

      [settings]
      max-loss = 0.01             # recordings that lost more than this share decide nothing
      # baseline = "lull-baseline.json"   # for `change`; written by --update-baseline

      """
    var unstable: [String] = []
    for (name, why) in StandardFigures.all where name != "trace.durationSeconds" {
      guard let path = FigurePath(name) else { continue }
      let values = runs.compactMap { $0.figures.numbers[path] }
      guard values.count == runs.count, let least = values.min(), let most = values.max() else {
        unstable.append("# \(name): not measured in every run")
        continue
      }
      let unit = FigureUnit.of(path)
      let (low, high) = (unit.text(least), unit.text(most))
      let range = least == most ? high : low == high ? "about \(high)" : "\(low) to \(high)"
      let spread = most - least
      guard spread <= stable * Aggregation.median.value(of: values).magnitude else {
        unstable.append("# \(name): from \(range), too uneven to gate")
        continue
      }
      // A score is held by the least that it may be: that is what a run is sure to keep.
      let sure = runs.compactMap { $0.bounds(of: path)?.low }
      let bounded = sure.count == runs.count && sure.min() ?? least < least
      let told = bounded ? "\(range), \(unit.text(sure.min() ?? least)) at the least" : range
      text += "\n" + budget(path, why, sure.count == runs.count ? sure : values, told)
    }
    if !unstable.isEmpty { text += "\n# Left out:\n" + unstable.joined(separator: "\n") + "\n" }
    return text
  }

  private static func budget(
    _ path: FigurePath, _ why: String, _ values: [Double], _ range: String
  ) -> String {
    let isHigherBetter = FigureNames.isHigherBetter(path)
    let edge = isHigherBetter ? values.min() ?? 0 : values.max() ?? 0
    // A count of what the program does itself, alike in all runs, is no accident; sizes, times and the rest always are.
    let isExact = values.min() == values.max() && FigureUnit.of(path) == .number("")
    let room = isExact ? 0 : max(Self.headroom(values), leastRoom * edge.magnitude)
    let limit =
      isExact
      ? edge : isHigherBetter ? max(0, edge - room).rounded(.down) : rounded(up: edge + room)
    return """
      [[budget]]                  # measured \(range)
      path = "\(path)"            # \(why)
      \(isHigherBetter ? "min" : "max") = \(number(limit))

      """
  }

  /// How far from the worst run another of the same may be: one run of a thousand is further off (the prediction
  /// interval of a normal distribution, by Student's t).
  private static func headroom(_ values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let deviation = (squares / (count - 1)).squareRoot()
    let t = studentT.last { $0.freedom <= values.count - 1 }?.value ?? studentT[0].value
    return t * deviation * (1 + 1 / count).squareRoot()
  }

  /// The 99.9 % quantile by degrees of freedom; between two the lower's, which is larger.
  private static let studentT: [(freedom: Int, value: Double)] = [
    (2, 22.33), (3, 10.21), (4, 7.173), (5, 5.893), (6, 5.208), (7, 4.785), (8, 4.501),
    (9, 4.297), (10, 4.144), (12, 3.930), (15, 3.733), (20, 3.552), (30, 3.385), (60, 3.232),
    (120, 3.160),
  ]

  /// Two digits that mean something, never less than the value; whole counts stay whole.
  private static func rounded(up value: Double) -> Double {
    if value <= 0 || (value.rounded() == value && value < 100) { return value }
    // Powers of ten above one are exact, those below are not.
    var (scale, divisor) = (1.0, 1.0)
    while value * scale < 10 { scale *= 10 }
    while value / divisor >= 100 { divisor *= 10 }
    return max(value, (value * scale / divisor).rounded(.up) / scale * divisor)
  }

  private static func number(_ value: Double) -> String {
    value.rounded() == value && value.magnitude < 1e15 ? String(Int64(value)) : "\(value)"
  }
}
