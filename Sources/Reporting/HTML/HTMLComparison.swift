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
      summary: summary(
        base, new, statistics.first { $0.path == "score.overall" }),
      sides: [
        ComparisonSide(base, id: "base", role: "Base"),
        ComparisonSide(new, id: "new", role: "New"),
      ],
      statistics: statistics.map(StatisticRow.init), hasStatistics: !statistics.isEmpty,
      figures: ComparedFigures.rows(base, new),
      addsUp: ComparedFigures.areByTheRun(base, new)
        ? "a run" : "a minute, so that recordings of unequal length compare",
      rules: ComparedRules.rows(base, new))
    return try PageAssets.library().render(page, withTemplate: "comparison") ?? ""
  }

  /// The scores of both sides, and of which is better what the statistics of all runs say.
  private static func summary(
    _ base: Report, _ new: Report, _ statistic: ComparisonStatistic?
  ) -> String {
    let name = PageText.shown(new.process.name)
    guard base.score.overall != nil, new.score.overall != nil else {
      return "Two recordings of \(name)"
    }
    let scores = (ShownScore(base.score), ShownScore(new.score))
    let text =
      "\(name) scores \(scores.0.text() ?? "") before, \(scores.1.text() ?? "") now"
    return statistic.map { "\(text): \(PageText.shown($0.verdict))" } ?? text
  }
}

/// What the runs of both sides came to in one figure.
package struct ComparisonStatistic: Sendable {
  /// Its path in the report.
  package var path: String
  /// Its unit's word; nil for that of the path.
  package var unit: String?
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
    path: String, unit: String? = nil, base: Double?, new: Double?, change: String,
    verdict: String, isWorse: Bool?
  ) {
    self.path = path
    self.unit = unit
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
  /// For how long what adds up over time is given.
  let addsUp: String
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
    let unit =
      statistic.unit.map(FigureUnit.init(named:))
      ?? FigurePath(statistic.path).map(FigureUnit.of) ?? .number("")
    func text(_ value: Double?) -> String { value.map { PageText.shown(unit.text($0)) } ?? "–" }
    title = PageText.shown(statistic.path)
    base = text(statistic.base)
    new = text(statistic.new)
    change = PageText.shown(statistic.change)
    verdict = PageText.shown(statistic.verdict)
    direction = statistic.isWorse.map { $0 ? "worse" : "better" } ?? "same"
  }
}
