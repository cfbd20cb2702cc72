import Quantities

/// A score as people read it: one number where it is known closely, else from where to where.
package struct ShownScore {
  /// 0 to 100; nil where there is none.
  package var score: Double?
  package var low: Double?
  package var high: Double?
  /// Bounds up to so many points apart are one number.
  package var narrow: Double?

  package init(score: Double?, low: Double?, high: Double?, narrow: Double?) {
    self.score = score
    self.low = low
    self.high = high
    self.narrow = narrow
  }

  package init(_ section: ScoreSection) {
    self.init(
      score: section.overall, low: section.low, high: section.high, narrow: section.narrow)
  }

  package init(_ category: CategorySection, of section: ScoreSection) {
    self.init(
      score: category.score, low: category.low, high: category.high, narrow: section.narrow)
  }

  /// The bounds where they are too far apart for one number; nil in reports of versions that knew none.
  package var bounds: (low: Double, high: Double)? {
    guard score != nil, let low, let high, let narrow, high - low > narrow else { return nil }
    return (low, high)
  }

  /// The number or the bounds; nil where there is no score.
  package func text(_ between: String = " to ") -> String? {
    if let bounds {
      return "\(Figures.fixed(bounds.low, 0))\(between)\(Figures.fixed(bounds.high, 0))"
    }
    return score.map { Figures.fixed($0, 0) }
  }
}
