/// What a check does with figures that were not measured.
public enum InconclusivePolicy: String, Sendable, CaseIterable {
  /// The check ends with status 3.
  case error
  /// It is said, and the check goes on.
  case warn
  /// The check fails, with status 2.
  case fail
}

/// The settings that hold for all budgets.
public struct BudgetSettings: Sendable, Equatable {
  /// The share of records that may be lost before nothing is decided any more.
  public var maxLoss = 0.01
  public var inconclusive = InconclusivePolicy.error
  public var aggregate = Aggregation.median
  /// The baseline's file, relative to the budget's.
  public var baseline: String?
  /// The chance of calling a change where there is none, over all figures together.
  public var significance = 0.05

  /// The defaults.
  public init() {}
}

/// A program to record: what it is called with, for how long, and what loads it meanwhile.
public struct Scenario: Sendable, Equatable {
  public var name: String
  public var command: [String]
  /// Where it runs, relative to the budget's file.
  public var directory: String?
  public var environment: [String: String] = [:]
  /// How long the command runs before it is recorded; nil to record it from its start.
  public var warmUpSeconds: Double?
  /// How long it is recorded; nil until it ends.
  public var durationSeconds: Double?
  /// A command that runs beside it and gives it work.
  public var load: [String] = []
  public var runs = 1
  /// What to build before, a product of the package.
  public var product: String?
  public var line: Int
}

/// A budget file, checked.
public struct BudgetFile: Sendable, Equatable {
  public var path: String
  public var settings = BudgetSettings()
  public var budgets: [Budget] = []
  public var scenarios: [Scenario] = []

  /// The scenario with this name.
  public func scenario(_ name: String) -> Scenario? { scenarios.first { $0.name == name } }
}

/// What is wrong with a budget file, and where.
public struct BudgetFileError: Error, Sendable, Equatable, CustomStringConvertible {
  public var path: String
  public var line: Int
  public var message: String

  public var description: String {
    line > 0 ? "\(path):\(line): \(message)" : "\(path): \(message)"
  }
}
