import Quantities

/// Says why a score is no single number, or less than its parts have.
enum ScoreNote {
  /// Times that people record for.
  private static let steps: [Double] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]

  /// Nil where one number says it, and the parts' scores lead one to expect it.
  static func text(
    _ score: KnownScore, _ audits: [Audit], _ formula: ScoreFormula, seconds: Double,
    loss: LossDoubt?
  ) -> String? {
    guard let range = score.range, let share = score.measuredShare else {
      return "nothing could be scored"
    }
    guard share >= formula.leastMeasured - 1e-9 else {
      return "only \(Figures.percent(share)) of what counts could be measured"
        + (loss.map { ": \($0.text)" } ?? "")
    }
    guard !score.isKnown || range.width > formula.narrow else { return score.limit?.text }
    let counted = audits.filter { $0.weight > 0 }
    let missing = counted.count { !$0.isMeasured }
    let short = counted.filter { $0.isMeasured && $0.status == .notMeasured }
    var parts: [String] = []
    if missing > 0 {
      parts.append(
        "\(missing) of \(Figures.count(counted.count, "rule")) \(missing == 1 ? "was" : "were") not measured"
      )
    }
    var doubts: [String] = []
    for doubt in short.compactMap(\.doubt) where !doubts.contains(doubt) { doubts.append(doubt) }
    if short.contains(where: { $0.doubt == nil }) {
      let wanted = short.compactMap(\.secondsWanted).max()
      let enough = wanted.flatMap { wanted in steps.first { $0 >= wanted && $0 > seconds } }
      parts.append(
        "\(Figures.seconds(seconds)) are too little to tell"
          + (enough.map { "; \(Figures.fixed($0, 0)) s would do" } ?? ""))
    }
    parts += doubts
    if parts.isEmpty { parts.append("\(Figures.seconds(seconds)) tell it no more closely") }
    let open = parts.joined(separator: ", and ")
    guard score.isKnown, let limit = score.limit else { return open }
    return "\(limit.text); \(open)"
  }
}
