/// What a check does with figures that were not measured.
package enum InconclusivePolicy: String, Sendable, CaseIterable {
  /// The check ends with status 3.
  case error
  /// It is said, and the check goes on.
  case warn
  /// The check fails, with status 2.
  case fail
}

/// The settings that hold for all budgets.
package struct BudgetSettings: Sendable, Equatable {
  /// The share of records that may be lost before nothing is decided any more.
  package var maxLoss = 0.01
  package var inconclusive = InconclusivePolicy.error
  package var aggregate = Aggregation.median
  /// The baseline's file, relative to the budget's.
  package var baseline: String?
  /// The chance of calling a change where there is none, over all figures together.
  package var significance = 0.05

  /// The defaults.
  package init() {}
}

/// A program to record: what it is called with, for how long, and what loads it meanwhile.
package struct Scenario: Sendable, Equatable {
  package var name: String
  package var command: [String]
  /// Where it runs, relative to the budget's file.
  package var directory: String?
  package var environment: [String: String] = [:]
  /// How long the command runs before it is recorded; nil to record it from its start.
  package var warmUpSeconds: Double?
  /// How long it is recorded; nil until it ends.
  package var durationSeconds: Double?
  /// A command that runs beside it and gives it work.
  package var load: [String] = []
  package var runs = 1
  /// What to build before, a product of the package.
  package var product: String?
  package var line: Int
}

/// A budget file, checked.
package struct BudgetFile: Sendable, Equatable {
  package var path: String
  package var settings = BudgetSettings()
  package var budgets: [Budget] = []
  package var scenarios: [Scenario] = []

  /// The scenario with this name.
  package func scenario(_ name: String) -> Scenario? { scenarios.first { $0.name == name } }
}

/// What is wrong with a budget file, and where.
package struct BudgetFileError: Error, Sendable, Equatable, CustomStringConvertible {
  package var path: String
  package var line: Int
  package var message: String

  package var description: String {
    line > 0 ? "\(path):\(line): \(message)" : "\(path): \(message)"
  }
}
