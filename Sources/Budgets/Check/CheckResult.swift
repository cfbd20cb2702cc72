import Reporting

/// What a check comes to.
public enum BudgetVerdict: String, Sendable, Codable, CaseIterable {
  case fail, inconclusive, pass
}

/// Who is to blame for a figure.
public struct Blame: Sendable, Equatable, Codable {
  public var function: String?
  public var file: String?
  public var line: Int?
  /// What it was done to: a file or a host.
  public var subject: String?
  /// In a line, as the rule has it.
  public var summary: String?
}

/// One budget against one set of recordings.
public struct BudgetResult: Sendable, Equatable, Codable {
  /// The figure's path in the report.
  public var path: String
  public var scenario: String?
  public var level: BudgetLevel
  public var verdict: BudgetVerdict
  /// One line: what was found, against what.
  public var message: String
  /// The figure of the runs together; nil where it was not measured.
  public var measured: Double?
  /// The figure of each run.
  public var values: [Double]
  public var unit: String
  public var max: Double?
  public var min: Double?
  public var baseline: Double?
  /// From the baseline, in the figure's unit.
  public var change: Double?
  /// From the baseline, as a share of it.
  public var relativeChange: Double?
  /// The 95 % interval of the change.
  public var changeInterval: [Double]?
  /// The chance of such a change by noise, corrected for the number of figures.
  public var pValue: Double?
  /// The rule that explains the figure.
  public var rule: String?
  public var advice: String?
  public var blame: Blame?
  public var note: String?
  /// Where the budget stands.
  public var budgetLine: Int
}

/// The outcome of `lull check`.
public struct CheckResult: Sendable, Codable {
  /// The schema that this version writes.
  public static let schema = "lull.check/1"

  public var schema = CheckResult.schema
  public var verdict: BudgetVerdict
  public var budget: String
  /// The violated ones first, then the inconclusive ones.
  public var results: [BudgetResult]
  /// What is worth knowing besides.
  public var notes: [String]
  public var environment: Fingerprint?

  /// Puts results in order and draws the conclusion.
  public init(
    budget: String, results: [BudgetResult], notes: [String], environment: Fingerprint?,
    policy: InconclusivePolicy
  ) {
    self.budget = budget
    self.results = results.enumerated().sorted {
      (Self.rank($0.element), $0.offset) < (Self.rank($1.element), $1.offset)
    }.map(\.element)
    self.notes = notes
    self.environment = environment
    let decisive = results.filter { $0.level == .error }
    if decisive.contains(where: { $0.verdict == .fail }) {
      verdict = .fail
    } else if decisive.contains(where: { $0.verdict == .inconclusive }) {
      verdict =
        switch policy {
        case .error: .inconclusive
        case .warn: .pass
        case .fail: .fail
        }
    } else {
      verdict = .pass
    }
  }

  private static func rank(_ result: BudgetResult) -> Int {
    switch (result.verdict, result.level) {
    case (.fail, .error): 0
    case (.inconclusive, .error): 1
    case (.fail, _): 2
    case (.inconclusive, _): 3
    case (.pass, _): 4
    }
  }
}
