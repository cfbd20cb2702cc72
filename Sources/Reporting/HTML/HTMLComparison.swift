import Quantities

/// Two reports beside each other, the differences marked.
package enum HTMLComparison {
  /// The page; equal inputs give equal bytes.
  ///
  /// - Parameter statistics: what all runs of both sides came to, where there are several.
  package static func render(
    base: Report, new: Report, statistics: [ComparisonStatistic] = []
  ) throws -> String {
    let page = ComparisonPage(
      frame: try PageFrame(
        title: "\(PageText.shown(new.process.name)): Lull comparison",
        reportData: JSONReport.compact(["base": base, "new": new]), timelineData: "null",
        generator: new.generator),
      summary: summary(base, new),
      sides: [
        ComparisonSide(base, id: "base", role: "Base"),
        ComparisonSide(new, id: "new", role: "New"),
      ],
      statistics: statistics.map(StatisticRow.init), hasStatistics: !statistics.isEmpty,
      figures: ComparedFigures.rows(base, new), rules: ComparedRules.rows(base, new))
    return try PageAssets.library().render(page, withTemplate: "comparison") ?? ""
  }

  private static func summary(_ base: Report, _ new: Report) -> String {
    guard let before = base.score.overall, let after = new.score.overall else {
      return "Two recordings of \(PageText.shown(new.process.name))"
    }
    let shown = (ShownScore(base.score), ShownScore(new.score))
    if shown.0.bounds != nil || shown.1.bounds != nil {
      return "\(PageText.shown(new.process.name)) scores \(shown.0.text() ?? "") before, "
        + "\(shown.1.text() ?? "") now"
    }
    let change = after.rounded() - before.rounded()
    let name = PageText.shown(new.process.name)
    if change == 0 { return "\(name) scores as before: \(Figures.fixed(after, 0)) of 100" }
    return "\(name) scores \(Figures.fixed(abs(change), 0)) \(change > 0 ? "more" : "less"): "
      + "\(Figures.fixed(before, 0)) before, \(Figures.fixed(after, 0)) now"
  }
}

/// What the runs of both sides came to in one figure.
package struct ComparisonStatistic: Sendable {
  /// Its path in the report.
  package var path: String
  package var base: Double?
  package var new: Double?
  /// The relative change with its interval, as text.
  package var change: String
  /// What it is taken for, as text.
  package var verdict: String
  /// Nil where it is neither better nor worse.
  package var isWorse: Bool?

  /// Makes a figure.
  package init(
    path: String, base: Double?, new: Double?, change: String, verdict: String, isWorse: Bool?
  ) {
    self.path = path
    self.base = base
    self.new = new
    self.change = change
    self.verdict = verdict
    self.isWorse = isWorse
  }
}

/// Everything that the comparison's template shows.
struct ComparisonPage {
  let frame: PageFrame
  let summary: String
  let sides: [ComparisonSide]
  let statistics: [StatisticRow]
  let hasStatistics: Bool
  let figures: [ComparedFigures.Row]
  let rules: [ComparedRules.Row]
}

/// One report's head.
struct ComparisonSide {
  let id: String
  let role: String
  let program: String
  let trace: String
  let facts: [LabelledText]
  let notes: [String]
  let overall: GaugeModel
  let categories: [GaugeModel]

  init(_ report: Report, id: String, role: String) {
    let verdict = VerdictModel(report)
    self.id = id
    self.role = role
    program = verdict.program
    trace = PageText.shown(report.trace.path)
    facts = verdict.facts
    notes = verdict.notes
    overall = verdict.overall
    categories = verdict.categories
  }
}

/// A statistic as it is shown.
struct StatisticRow {
  let title: String
  let base: String
  let new: String
  let change: String
  let verdict: String
  let direction: String

  init(_ statistic: ComparisonStatistic) {
    let unit = FigurePath(statistic.path).map(FigureUnit.of) ?? .number("")
    func text(_ value: Double?) -> String { value.map { PageText.shown(unit.text($0)) } ?? "–" }
    title = PageText.shown(statistic.path)
    base = text(statistic.base)
    new = text(statistic.new)
    change = PageText.shown(statistic.change)
    verdict = PageText.shown(statistic.verdict)
    direction = statistic.isWorse.map { $0 ? "worse" : "better" } ?? "same"
  }
}
