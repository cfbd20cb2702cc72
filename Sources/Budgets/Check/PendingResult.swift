import Quantities
import Reporting

/// A result in the making.
struct PendingResult {
  let budget: Budget
  let path: FigurePath
  var result: BudgetResult

  private var unit: FigureUnit { FigureUnit.of(path) }

  init(_ budget: Budget, path: FigurePath, scenario: String?, values: [Double]) {
    self.budget = budget
    self.path = path
    result = BudgetResult(
      path: path.description, scenario: scenario, level: budget.level, verdict: .pass,
      message: "", measured: values.isEmpty ? nil : budget.aggregate.value(of: values),
      values: values, unit: FigureUnit.of(path).name, max: budget.max, min: budget.min,
      note: budget.note, budgetLine: budget.line)
  }

  init(_ budget: Budget, path: FigurePath, scenario: String?, inconclusive reason: String) {
    self.init(budget, path: path, scenario: scenario, values: [])
    doubt(reason)
  }

  /// Holds the measured figure to the absolute limits.
  mutating func hold(to budget: Budget) {
    guard let measured = result.measured else { return }
    let runs = result.values.count
    let found =
      runs == 1 ? unit.text(measured) : "\(unit.text(measured)) (\(budget.aggregate) of \(runs))"
    if let max = budget.max, measured > max {
      fail("\(found), the limit is \(unit.text(max))")
    } else if let min = budget.min, measured < min {
      fail("\(found), the least allowed is \(unit.text(min))")
    } else {
      let limits = [
        budget.max.map { "at most \(unit.text($0))" },
        budget.min.map { "at least \(unit.text($0))" },
      ].compactMap { $0 }
      result.message = ([found] + limits).joined(separator: ", ")
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
    if samples.base.count > 1 || samples.new.count > 1 {
      let interval = Bootstrap.difference(samples.base, samples.new)
      result.changeInterval = [interval.lowerBound, interval.upperBound]
    }
    let allowed = samples.allowed.tolerance(at: base)
    let words = "\(unit.signed(samples.change))\(share(samples)) from \(unit.text(base))"
    switch outcome.verdict {
    case .worse: fail("\(words), allowed is \(unit.text(allowed))\(chance(outcome))")
    case .better: say("better: \(words)")
    case .unchanged: say("\(words), allowed is \(unit.text(allowed))")
    case .ambiguous:
      say("\(words) is within the noise of \(samples.new.count) runs\(chance(outcome))")
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
    outcome.pValue.map { ", p \(ComparisonText.chance($0))" } ?? ""
  }
}
