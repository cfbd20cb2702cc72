/// A price that no counter of the machine gives: a published figure, and between what others lie.
package struct Prior: Sendable, Equatable {
  /// What is computed with.
  package var value: Double
  /// The least that a model gives.
  package var low: Double
  /// The most that one gives.
  package var high: Double
  /// Where the figures come from.
  package var source: String

  /// Makes a prior; without bounds nobody disagrees.
  package init(_ value: Double, low: Double? = nil, high: Double? = nil, source: String = "") {
    self.value = value
    self.low = low ?? value
    self.high = high ?? value
    self.source = source
  }

  /// The same with bounds that hold another's too.
  func widened(by other: Prior) -> Prior {
    Prior(value, low: min(low, other.low), high: max(high, other.high), source: source)
  }
}

/// Which of a prior's figures is computed with.
package enum PriorBound: Sendable, CaseIterable {
  case low, value, high
}

extension Prior {
  /// One of the figures.
  package func figure(_ bound: PriorBound) -> Double {
    switch bound {
    case .low: low
    case .value: value
    case .high: high
    }
  }
}
