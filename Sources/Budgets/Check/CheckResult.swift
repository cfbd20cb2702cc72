import Reporting

/// What a check comes to.
package enum BudgetVerdict: String, Sendable, Codable, CaseIterable {
  case fail, inconclusive, pass
  /// Of a budget: what it limits did not occur, or is nothing for such a program, so it is neither kept nor broken.
  case notApplicable
}

/// Who is to blame for a figure.
package struct Blame: Sendable, Equatable, Codable {
  package var function: String?
  package var file: String?
  package var line: Int?
  /// What it was done to: a file or a host.
  package var subject: String?
  /// In a line, as the rule has it.
  package var summary: String?
}

/// One budget against one set of recordings.
package struct BudgetResult: Sendable, Equatable, Codable {
  /// The figure's path in the report.
  package var path: String
  package var scenario: String?
  package var level: BudgetLevel
  package var verdict: BudgetVerdict
  /// One line: what was found, against what.
  package var message: String
  /// The figure of the runs together; nil where it was not measured.
  package var measured: Double?
  /// The figure of each run.
  package var values: [Double]
  package var unit: String
  package var max: Double?
  package var min: Double?
  package var baseline: Double?
  /// From the baseline, in the figure's unit.
  package var change: Double?
  /// From the baseline, as a share of it.
  package var relativeChange: Double?
  /// The 95 % interval of the change.
  package var changeInterval: [Double]?
  /// The chance of such a change by noise, corrected for the number of figures.
  package var pValue: Double?
  /// The rule that explains the figure.
  package var rule: String?
  package var advice: String?
  package var blame: Blame?
  /// Why nobody is blamed where somebody could be.
  package var blameReason: String?
  package var note: String?
  /// Where the budget stands.
  package var budgetLine: Int
  /// The budget's path where it stands for several figures, of which this is one.
  package var pattern: String?

  /// Whether it failed, or could not be told.
  var isOpenOrFailed: Bool { verdict == .fail || verdict == .inconclusive }
}

/// The outcome of `lull check`.
package struct CheckResult: Sendable, Codable {
  /// The schema that this version writes.
  package static let schema = "lull.check/1"

  package var schema = CheckResult.schema
  package var verdict: BudgetVerdict
  package var budget: String
  /// The violated ones first, then the inconclusive ones.
  package var results: [BudgetResult]
  /// What is worth knowing besides.
  package var notes: [String]
  package var environment: Fingerprint?

  /// Puts results in order and draws the conclusion.
  package init(
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
    // Where nothing applies nothing was checked.
    let isEmpty = results.allSatisfy { $0.verdict == .notApplicable }
    if decisive.contains(where: { $0.verdict == .fail }) {
      verdict = .fail
    } else if isEmpty || decisive.contains(where: { $0.verdict == .inconclusive }) {
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
    case (.notApplicable, _): 4
    case (.pass, _): 5
    }
  }
}
