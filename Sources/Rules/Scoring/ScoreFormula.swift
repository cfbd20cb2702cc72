/// Rules that count as one: the worst of them.
package struct WorstOf: Sendable, Equatable {
  /// The category that it counts in.
  package var category: String
  /// Its weight there, in place of its rules' own.
  package var weight: Double
  /// Ids of the rules.
  package var rules: [String]
}

/// How the scores of rules become one, as the configuration has it.
package struct ScoreFormula: Sendable, Equatable {
  /// A score counts as at least this in a mean.
  package var floor = 1.0
  /// The most that the whole can have with a proven failure of what a user feels or a system kills for.
  package var feltFailureCap = 100.0
  /// The rules of such failures.
  package var felt: Set<String> = []
  /// The most that it can have with any other proven failure.
  package var failureCap = 100.0
  /// By how much less for each further one.
  package var furtherFailure = 0.0
  /// The most that it can have with a proven warning.
  package var warningCap = 100.0
  /// Bounds up to so many points apart are shown as one number.
  package var narrow = 0.0
  /// Bounds further apart than this are no score.
  package var widest = 100.0
  /// The share of the weight of what applies that must have been measured for a score.
  package var leastMeasured = 0.0
  /// Rules that count as one, by name.
  package var worst: [String: WorstOf] = [:]
  /// Where the figures come from.
  package var provenance: [String: String] = [:]

  /// Plain means without caps.
  package init() {}

  /// The most that the whole can have with such failures and warnings.
  func cap(failed: Set<String>, warned: Bool) -> Double {
    let others = failed.subtracting(felt).count
    var cap = warned ? warningCap : 100
    if others > 0 {
      let further = Double(others - 1) * furtherFailure
      // However many they are, they do not weigh as what a user feels.
      cap = min(cap, max(failureCap - further, feltFailureCap + 1))
    }
    return failed.count > others ? min(cap, feltFailureCap) : cap
  }
}
