/// An energy, and between what the models put it.
package struct JouleRange: Sendable, Equatable {
  /// The least that a model gives.
  package var low: Double
  /// What the chosen one gives.
  package var value: Double
  /// The most that one gives.
  package var high: Double

  /// Makes a range; without bounds nobody disagrees.
  package init(_ value: Double = 0, low: Double? = nil, high: Double? = nil) {
    self.value = value
    self.low = min(low ?? value, value)
    self.high = max(high ?? value, value)
  }

  /// So much of something that has a price.
  package init(_ amount: Double, at prior: Prior) {
    self.init(amount * prior.value, low: amount * prior.low, high: amount * prior.high)
  }

  /// Bounds of sums are sums of bounds: the models of two parts err apart.
  package static func + (first: JouleRange, second: JouleRange) -> JouleRange {
    JouleRange(
      first.value + second.value, low: first.low + second.low, high: first.high + second.high)
  }
}
