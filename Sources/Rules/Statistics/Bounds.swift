/// Between what limits a figure's true value lies.
///
/// For what was seen whole the two are one. For what was seen for a while only they hold at 95 %: what lies outside
/// would show itself in less than one of twenty such recordings.
package struct Bounds: Sendable, Equatable {
  /// The least that the true value is.
  package var low: Double
  /// The most that it is.
  package var high: Double

  /// Makes bounds.
  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }

  /// What lies outside at each end.
  static let tail = 0.025

  /// Of a fact: it was seen whole.
  package static func exactly(_ value: Double) -> Bounds { Bounds(low: value, high: value) }

  /// Of the share that so many make of others, where each might have turned out either way.
  ///
  /// Clopper and Pearson (1934). `count` and `all` may be fractions: a share of bytes in so many saves.
  package static func share(_ count: Double, of all: Double) -> Bounds {
    guard all > 0 else { return Bounds(low: 0, high: 1) }
    let count = min(max(count, 0), all)
    return Bounds(
      low: count > 0 ? BetaDistribution.quantile(tail, count, all - count + 1) : 0,
      high: count < all ? BetaDistribution.quantile(1 - tail, count + 1, all - count) : 1)
  }

  /// In another unit.
  package func scaled(by factor: Double) -> Bounds {
    Bounds(low: low * factor, high: high * factor)
  }

  /// With no end above this.
  func atMost(_ most: Double) -> Bounds { Bounds(low: min(low, most), high: min(high, most)) }
}
