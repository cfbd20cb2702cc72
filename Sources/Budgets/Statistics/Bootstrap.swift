import Quantities

/// Intervals by drawing the same samples again (Efron, 1979; the percentile method).
package enum Bootstrap {
  private static let draws = 2000

  /// The interval in which the median lies with this confidence.
  package static func median(
    _ values: [Double], confidence: Double = 0.95, seed: UInt64 = 1
  ) -> ClosedRange<Double> {
    var generator = SeededGenerator(seed: seed)
    return interval(confidence) { drawnMedian(values, &generator) }
  }

  /// The interval in which the difference of the medians lies, the second less the first.
  package static func difference(
    _ base: [Double], _ new: [Double], confidence: Double = 0.95, seed: UInt64 = 1
  ) -> ClosedRange<Double> {
    var generator = SeededGenerator(seed: seed)
    return interval(confidence) {
      drawnMedian(new, &generator) - drawnMedian(base, &generator)
    }
  }

  /// The bounds of the difference of the medians; nil where a side has one run, which shows no spread.
  static func interval(of samples: FigureSamples) -> [Double]? {
    guard min(samples.base.count, samples.new.count) > 1 else { return nil }
    let range = difference(samples.base, samples.new)
    return [range.lowerBound, range.upperBound]
  }

  private static func interval(
    _ confidence: Double, _ draw: () -> Double
  ) -> ClosedRange<Double> {
    let drawn = (0..<draws).map { _ in draw() }.sorted()
    let low = Quantiles.quantile((1 - confidence) / 2, ofSorted: drawn) ?? 0
    return low...max(low, Quantiles.quantile((1 + confidence) / 2, ofSorted: drawn) ?? 0)
  }

  private static func drawnMedian(
    _ values: [Double], _ generator: inout SeededGenerator
  ) -> Double {
    guard values.count > 1 else { return values.first ?? 0 }
    let drawn = values.map { _ in values[Int.random(in: 0..<values.count, using: &generator)] }
    return Aggregation.median.value(of: drawn)
  }
}
