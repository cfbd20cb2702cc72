/// How one rule is scored: every figure as far as it is given.
package struct RuleScoring: Sendable, Equatable {
  /// Weight in the category; 0 shows a rule without counting it.
  package var weight: Double?
  /// The value that scores 90.
  package var p10: Double?
  /// The value that scores 50.
  package var median: Double?
  /// Where `p10` and `median` come from.
  package var provenance: String?
  /// The value past which the rule fails whatever the curve says.
  package var limit: Double?
  /// How far past the limit is still taken for measuring noise.
  package var tolerance: Double?
  /// Whether a value equal to the limit fails too.
  package var failsWhenReached: Bool?
  /// Where the limit comes from.
  package var limitProvenance: String?
  /// Why the rule gives no verdict on such a program; empty where it does.
  package var notFor: String?

  /// Nothing is given.
  package init() {}

  /// These figures with those of another put over them.
  func replaced(by other: RuleScoring) -> RuleScoring {
    var result = self
    if other.p10 != nil || other.median != nil, other.provenance == nil { result.provenance = nil }
    if other.limit != nil, other.limitProvenance == nil { result.limitProvenance = nil }
    result.weight = other.weight ?? weight
    result.p10 = other.p10 ?? p10
    result.median = other.median ?? median
    result.provenance = other.provenance ?? result.provenance
    result.limit = other.limit ?? limit
    result.tolerance = other.tolerance ?? tolerance
    result.failsWhenReached = other.failsWhenReached ?? failsWhenReached
    result.limitProvenance = other.limitProvenance ?? result.limitProvenance
    result.notFor = other.notFor ?? notFor
    return result
  }
}

/// Weights of categories and figures of rules, by id.
package struct ScoringTable: Sendable, Equatable {
  /// Weight of each category in the overall score.
  package var categories: [String: Double] = [:]
  /// How each rule is scored.
  package var rules: [String: RuleScoring] = [:]

  /// Empty.
  package init() {}

  func replaced(by other: ScoringTable) -> ScoringTable {
    var result = self
    result.categories.merge(other.categories) { $1 }
    for (id, scoring) in other.rules {
      result.rules[id] = (rules[id] ?? RuleScoring()).replaced(by: scoring)
    }
    return result
  }
}

/// What a rule may know of its own scoring: a saving is counted down to the good figure.
package struct RuleScale: Sendable, Equatable {
  /// The value that scores 90 in the profile in force; nil where only a limit counts.
  package var good: Double?
  /// The limit in force.
  package var limit: Limit?

  /// The value that is aimed at: the good figure, or a limit below it.
  package var target: Double {
    min(good ?? .infinity, limit?.value ?? .infinity).nonInfinite
  }

  /// By how much a value is worse than what is aimed at.
  package func excess(_ value: Double) -> Double { max(0, value - target) }
}

extension Double {
  /// Zero in place of infinity.
  fileprivate var nonInfinite: Double { isFinite ? self : 0 }
}
