import Reporting

/// What a broken budget does to the check.
package enum BudgetLevel: String, Sendable, Codable, CaseIterable {
  /// The check fails.
  case error
  /// It is said, and the check goes on.
  case warn
  /// It is not looked at.
  case off
}

/// Which way a figure gets worse.
package enum BudgetDirection: String, Sendable, Codable, CaseIterable {
  /// Less is better.
  case lower
  /// More is better, as for a score.
  case higher
  /// Any change is one too many.
  case same
}

/// How the figures of several runs become one.
package enum Aggregation: String, Sendable, Codable, CaseIterable {
  case median, mean, min, max, p75, p90, p95, p99
}

/// How far a figure may go from its baseline; past all that is given, it has changed.
package struct AllowedChange: Sendable, Equatable, Codable {
  /// Share of the baseline's value, 0.1 for a tenth.
  package var relative: Double?
  /// In the figure's own unit.
  package var absolute: Double?

  /// The distance from a baseline that is still allowed.
  package func tolerance(at base: Double) -> Double {
    max((relative ?? 0) * base.magnitude, absolute ?? 0)
  }
}

/// A limit on one figure of the report.
package struct Budget: Sendable, Equatable {
  package var path: FigurePath
  package var kind: FigureKind
  package var level: BudgetLevel
  package var max: Double?
  package var min: Double?
  package var change: AllowedChange?
  package var direction: BudgetDirection
  package var aggregate: Aggregation
  /// The scenario it is for; nil for every recording.
  package var scenario: String?
  /// What the user has to say about it.
  package var note: String?
  /// Where it stands in the file.
  package var line: Int
  /// For a rule's status: the worst that is let through.
  package var worst: RuleStatus?
}

/// How bad a rule's verdict is.
package enum RuleStatus: String, Sendable, CaseIterable, Comparable {
  case pass, warn, fail

  /// The verdict that goes with a score; at 90 and 50 it is given to within rounding only.
  init(score: Double) {
    self = score >= 90 - 1e-6 ? .pass : score >= 50 - 1e-6 ? .warn : .fail
  }

  package static func < (left: RuleStatus, right: RuleStatus) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}
