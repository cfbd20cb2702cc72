import Reporting

/// Writes a first budget file from runs of the same thing.
package enum BudgetTemplate {
  /// Runs below which nothing can be said of how stable a figure is.
  package static let fewestRuns = 3

  /// A limit that lets a figure become so many times as much is none: what needs more room is not gated.
  private static let mostChange = 2.0

  /// The room that a figure which may vary has at the least, as a share of it.
  private static let leastRoom = 0.1

  /// The budget file's text.
  package static func render(_ runs: [Run]) -> String {
    var text = """
      # Budgets for `lull check`. Written from \(runs.count) runs of \
      \(Escaped.text(runs.first?.report.process.name ?? "the program")):
      # tighten a limit when the program gets better, and say why in `note` when you loosen one. A limit leaves so much
      # room that a thousand runs like these would break it once or twice, and none lets a figure double; ten runs bear
      # out much closer ones than three.

      [settings]
      max-loss = 0.01             # recordings that lost more than this share decide nothing
      # baseline = "lull-baseline.json"   # for `change`; written by --update-baseline

      """
    var unstable: [String] = []
    let areWhole = runs.allSatisfy(\.isEnded)
    for (name, why) in StandardFigures.all where name != "trace.durationSeconds" {
      guard let path = FigurePath(name) else { continue }
      guard let unit = runs.commonUnit(at: path) else {
        unstable.append("# \(name): \(runs.unitsDiffer(at: path))")
        continue
      }
      let values = runs.compactMap { $0.figures.value(of: path, in: unit) }
      guard values.count == runs.count, let least = values.min(), let most = values.max() else {
        unstable.append("# \(name): not measured in every run")
        continue
      }
      let (low, high) = (unit.text(least), unit.text(most))
      let range = least == most ? high : low == high ? "about \(high)" : "\(low) to \(high)"
      // A score is held by the least that it may be: that is what a run is sure to keep.
      let sure = runs.compactMap { $0.bounds(of: path)?.low }
      let bounded = sure.count == runs.count && sure.min() ?? least < least
      let told = bounded ? "\(range), \(unit.text(sure.min() ?? least)) at the least" : range
      let held = sure.count == runs.count ? sure : values
      guard let limit = limit(path, held, areWhole: areWhole) else {
        unstable.append("# \(name): from \(range), too uneven to gate")
        continue
      }
      text += "\n" + budget(path, why, limit, told)
    }
    if !unstable.isEmpty { text += "\n# Left out:\n" + unstable.joined(separator: "\n") + "\n" }
    return text
  }

  /// What runs like these keep; nil where that would let a figure become twice as bad. `areWhole` says that each was
  /// recorded to the program's end.
  static func limit(_ path: FigurePath, _ values: [Double], areWhole: Bool = true) -> Double? {
    let isHigherBetter = FigureNames.isHigherBetter(path)
    let edge = isHigherBetter ? values.min() ?? 0 : values.max() ?? 0
    // A count of what the program does itself, alike in all runs, is no accident; sizes, times and the rest always are.
    let isExact = values.min() == values.max() && FigureUnit.of(path) == .number("")
    // In a time that somebody else ended what comes regularly falls in once more or less often.
    let mayVary = !areWhole && edge > 0
    let room =
      isExact && !mayVary
      ? 0 : max(Self.headroom(values), leastRoom * edge.magnitude, isExact ? 1 : 0)
    let usual = Aggregation.median.value(of: values)
    if isHigherBetter {
      let limit = max(0, edge - room).rounded(.down)
      return isExact && !mayVary || limit > usual / mostChange ? limit : nil
    }
    let limit = isExact && !mayVary ? edge : rounded(up: edge + room)
    return limit == edge || limit < usual * mostChange ? limit : nil
  }

  private static func budget(
    _ path: FigurePath, _ why: String, _ limit: Double, _ range: String
  ) -> String {
    """
    [[budget]]                  # measured \(range)
    path = "\(path)"            # \(why)
    \(FigureNames.isHigherBetter(path) ? "min" : "max") = \(number(limit))

    """
  }

  /// How uneven figures of programs usually are, as a share, and of how many runs more that stands for.
  ///
  /// Three runs alone hardly tell how far others will be: what a thousand of them keep by Student's t is twice as much
  /// where they deviate by 4 %, and a limit that catches nothing. The values are those with which, of figures that
  /// deviate by 5 %, nearly all are gated after three runs (two thirds without), and of figures that deviate by up to
  /// 50 % four runs of a thousand at most break a limit (`BaselineTests` has the simulation).
  private static let usualDeviation = 0.08
  private static let usualFreedom = 2

  /// How far from the worst run another of the same may be: one run of a thousand is further off (the prediction
  /// interval of a normal distribution, by Student's t), by the runs alone or by what is usual as well, whichever is
  /// less.
  private static func headroom(_ values: [Double]) -> Double {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let usual = usualDeviation * mean
    func room(_ squares: Double, _ freedom: Int) -> Double {
      let t = studentT.last { $0.freedom <= freedom }?.value ?? studentT[0].value
      return t * (squares / Double(freedom)).squareRoot() * (1 + 1 / count).squareRoot()
    }
    return min(
      room(squares, values.count - 1),
      room(squares + Double(usualFreedom) * usual * usual, values.count - 1 + usualFreedom))
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
