import Quantities
import Reporting

/// A result in the making.
struct PendingResult {
  let budget: Budget
  let path: FigurePath
  var result: BudgetResult

  private let unit: FigureUnit

  init(
    _ budget: Budget, path: FigurePath, scenario: String?, values: [Double],
    unit: FigureUnit? = nil
  ) {
    let unit = unit ?? FigureUnit.of(path)
    self.unit = unit
    self.budget = budget
    self.path = path
    result = BudgetResult(
      path: path.description, scenario: scenario, level: budget.level, verdict: .pass,
      message: "", measured: values.isEmpty ? nil : budget.aggregate.value(of: values),
      values: values, unit: unit.name, max: budget.max, min: budget.min,
      note: budget.note, budgetLine: budget.line,
      pattern: budget.path == path ? nil : budget.path.description)
  }

  init(_ budget: Budget, path: FigurePath, scenario: String?, inconclusive reason: String) {
    self.init(budget, path: path, scenario: scenario, values: [])
    doubt(reason)
  }

  init(_ budget: Budget, path: FigurePath, scenario: String?, inapplicable reason: String) {
    self.init(budget, path: path, scenario: scenario, values: [])
    (result.verdict, result.message) = (.notApplicable, reason)
  }

  /// Holds the measured figure to the absolute limits.
  mutating func hold(to budget: Budget) {
    guard let measured = result.measured else { return }
    let runs = result.values.count
    let of = runs == 1 ? "" : " (\(budget.aggregate) of \(runs))"
    let found = unit.text(measured) + of
    if let max = budget.max, measured > max {
      let texts = unit.texts(measured, max)
      fail("\(texts.0)\(of), the limit is \(texts.1)")
    } else if let min = budget.min, measured < min {
      let texts = unit.texts(measured, min)
      fail("\(texts.0)\(of), the least allowed is \(texts.1)")
    } else {
      let limits = [
        budget.max.map { "at most \(unit.text($0))" },
        budget.min.map { "at least \(unit.text($0))" },
      ].compactMap { $0 }
      result.message = ([found] + limits).joined(separator: ", ")
    }
  }

  /// Holds what lies between bounds to the absolute limits: it breaks one only with all of its bounds, and keeps one
  /// only with all.
  mutating func hold(_ bounds: [FigureBounds], to budget: Budget) {
    guard !bounds.isEmpty else { return hold(to: budget) }
    let low = budget.aggregate.value(of: bounds.map(\.low))
    let high = budget.aggregate.value(of: bounds.map(\.high))
    let (advice, closeness) = (bounds[0].advice, bounds[0].closeness)
    guard high - low > closeness else { return hold(to: budget) }
    let found = "\(unit.text(low)) to \(unit.text(high))"
    if let max = budget.max, low > max {
      fail("\(found), the limit is \(unit.text(max))")
    } else if let min = budget.min, high < min {
      fail("\(found), the least allowed is \(unit.text(min))")
    } else if budget.max.map({ high <= $0 }) ?? true, budget.min.map({ low >= $0 }) ?? true {
      hold(to: budget)
    } else {
      let limit =
        budget.min.map { "the least allowed is \(unit.text($0))" }
        ?? budget.max.map { "the limit is \(unit.text($0))" } ?? ""
      doubt("\(found), \(limit): \(advice)")
    }
  }

  /// Holds a rule's verdict to the worst that is allowed; by its score's bounds it may be better or worse.
  mutating func hold(
    _ status: RuleStatus, to budget: Budget, range: ClosedRange<RuleStatus>?
  ) {
    let range = range ?? status...status
    let verdict = "the rule's verdict is \(status.rawValue)"
    guard let worst = budget.worst else {
      result.message = verdict
      return
    }
    if range.lowerBound > worst {
      fail("\(verdict), allowed is \(worst.rawValue)")
    } else if range.upperBound <= worst {
      result.message = verdict
    } else {
      doubt(
        "\(verdict), and may be \(range.lowerBound.rawValue) to \(range.upperBound.rawValue), "
          + "allowed is \(worst.rawValue): too little was seen to tell; record for longer")
    }
  }

  mutating func fail(_ message: String) {
    if result.verdict == .fail {
      result.message += "; " + message
    } else {
      (result.verdict, result.message) = (.fail, message)
    }
  }

  /// Says why nothing can be said; a limit that is broken stays broken.
  mutating func doubt(_ reason: String) {
    guard result.verdict != .fail else {
      result.message += "; " + reason
      return
    }
    (result.verdict, result.message) = (.inconclusive, reason)
  }

  /// Takes over what the comparison with the baseline says.
  mutating func take(_ outcome: ComparisonSuite.Outcome, of samples: FigureSamples) {
    let base = Aggregation.median.value(of: samples.base)
    result.baseline = base
    result.change = samples.change
    result.relativeChange = samples.relativeChange
    result.pValue = outcome.pValue
    result.changeInterval = Bootstrap.interval(of: samples)
    let allowed = samples.allowed.tolerance(at: base)
    let words = "\(unit.signed(samples.change))\(share(samples)) from \(unit.text(base))"
    switch outcome.verdict {
    case .worse: fail("\(words), allowed is \(unit.text(allowed))\(chance(outcome))")
    case .better: say("better: \(words)")
    case .unchanged: say("\(words), allowed is \(unit.text(allowed))")
    case .ambiguous:
      say(
        "\(words) is within the noise of \(Figures.count(samples.new.count, "run"))\(chance(outcome))"
      )
    case .tooFewRuns:
      doubt(
        "\(words) is past the \(unit.text(allowed)) allowed, but too few runs to tell it from "
          + "noise: \(samples.base.count) before and \(samples.new.count) now, it takes "
          + "\(FigureSamples.fewest) of each")
    }
  }

  private mutating func say(_ message: String) {
    result.message = result.message.isEmpty ? message : "\(result.message); \(message)"
  }

  private func share(_ samples: FigureSamples) -> String {
    samples.relativeChange.map { " (\($0 < 0 ? "" : "+")\(Figures.percent($0)))" } ?? ""
  }

  private func chance(_ outcome: ComparisonSuite.Outcome) -> String {
    outcome.pValue.map { ", " + ComparisonText.chance($0) } ?? ""
  }
}
