/// What a comparison says of one figure.
package enum ChangeVerdict: String, Sendable, Codable {
  case worse, better, unchanged
  /// Past its tolerance, but noise explains it: more runs would tell.
  case ambiguous
  /// Past its tolerance, but of too few runs to say anything.
  case tooFewRuns
}

/// The runs of one figure before and after, and what is allowed between them.
package struct FigureSamples: Sendable, Equatable {
  package var base: [Double]
  package var new: [Double]
  package var allowed: AllowedChange
  package var direction: BudgetDirection = .lower

  /// Runs of each side below which noise cannot be told from change.
  package static let fewest = 6
  /// Runs that must agree before a figure counts as one without noise.
  private static let agreeing = 3
  /// How far runs may be apart and still agree, as a share of their median.
  private static let agreement = 0.005

  package var change: Double {
    Aggregation.median.value(of: new) - Aggregation.median.value(of: base)
  }

  /// The change as a share of the base; nil where there was nothing before.
  package var relativeChange: Double? {
    let before = Aggregation.median.value(of: base)
    return before == 0 ? nil : change / before.magnitude
  }

  /// Whether both sides agree with themselves, so that counting them once more would change nothing.
  package var isDeterministic: Bool {
    max(base.count, new.count) >= Self.agreeing && Self.agree(base) && Self.agree(new)
  }

  private static func agree(_ values: [Double]) -> Bool {
    !values.isEmpty && spread(values) <= agreement * Aggregation.median.value(of: values).magnitude
  }

  private static func spread(_ values: [Double]) -> Double {
    (values.max() ?? 0) - (values.min() ?? 0)
  }

  /// Whether the medians are further apart than allowed.
  package var isPastTolerance: Bool {
    change.magnitude > allowed.tolerance(at: Aggregation.median.value(of: base)) + 1e-12
  }

  package var isEnough: Bool { min(base.count, new.count) >= Self.fewest }

  private var isWorse: Bool {
    switch direction {
    case .lower: change > 0
    case .higher: change < 0
    case .same: true
    }
  }

  /// The verdict, given the p-value as it counts among the others'.
  package func verdict(adjusted: Double, significance: Double) -> ChangeVerdict {
    guard isPastTolerance else { return .unchanged }
    if isDeterministic {
      // Runs that agree within a little may still be apart by as little.
      let spread = Self.spread(base) + Self.spread(new)
      let tolerance = allowed.tolerance(at: Aggregation.median.value(of: base))
      guard change.magnitude > tolerance + spread else { return .unchanged }
    } else {
      guard isEnough else { return .tooFewRuns }
      guard adjusted <= significance else { return .ambiguous }
    }
    return isWorse ? .worse : .better
  }
}

/// Many figures judged together, so that many questions do not make many mistakes.
package enum ComparisonSuite {
  package struct Outcome: Sendable, Equatable {
    package var verdict: ChangeVerdict
    /// Corrected for the number of figures; nil for those without noise, which need no test.
    package var pValue: Double?
  }

  /// Judges the figures: those without noise by their values, the others by rank with Holm's
  /// correction over all of them.
  package static func judge(_ figures: [FigureSamples], significance: Double) -> [Outcome] {
    let noisy = figures.indices.filter { !figures[$0].isDeterministic }
    let adjusted = Holm.adjusted(
      noisy.map { RankSum.pValue(figures[$0].base, figures[$0].new) })
    var values: [Int: Double] = [:]
    for (index, value) in zip(noisy, adjusted) { values[index] = value }
    return figures.indices.map { index in
      Outcome(
        verdict: figures[index].verdict(
          adjusted: values[index] ?? 0, significance: significance),
        pValue: values[index])
    }
  }
}
