import Quantities

/// A robust straight line: the median of the slopes of all pairs of points.
package struct TheilSen: Sendable, Equatable {
  /// The slope, in units of y per unit of x.
  package var slope: Double
  /// Bounds of the slope at the confidence asked for (Sen 1968, by Kendall's variance).
  package var interval: ClosedRange<Double>

  /// Whether the interval leaves zero out.
  package var excludesZero: Bool { !interval.contains(0) }

  /// Most points that are used; more are thinned evenly, as pairs grow with the square.
  package static let mostPoints = 600

  /// Fits points; nil with fewer than four different x or values that are not finite.
  ///
  /// `z` is the normal quantile of the confidence, 1.96 for 95 %.
  package init?(_ points: [(x: Double, y: Double)], z: Double = 1.959963984540054) {
    let used = Self.thinned(points.filter { $0.x.isFinite && $0.y.isFinite })
    guard Set(used.map(\.x)).count >= 4 else { return nil }
    var slopes: [Double] = []
    slopes.reserveCapacity(used.count * (used.count - 1) / 2)
    for (index, a) in used.enumerated() {
      for b in used[(index + 1)...] where a.x != b.x {
        slopes.append((b.y - a.y) / (b.x - a.x))
      }
    }
    slopes.sort()
    guard let median = Quantiles.quantile(0.5, ofSorted: slopes) else { return nil }
    let count = Double(used.count)
    let spread = z * (Self.kendallVariance(used.map(\.y), count: count)).squareRoot()
    let pairs = Double(slopes.count)
    let low = Int(((pairs - spread) / 2).rounded(.down))
    let high = Int(((pairs + spread) / 2).rounded(.up))
    slope = median
    let lower = slopes[min(max(low, 0), slopes.count - 1)]
    let upper = slopes[min(max(high, 0), slopes.count - 1)]
    interval = lower...max(lower, upper)
  }

  private static func thinned(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
    guard points.count > mostPoints else { return points }
    return (0..<mostPoints).map { points[$0 * (points.count - 1) / (mostPoints - 1)] }
  }

  /// Variance of Kendall's score, with the correction for equal values of y.
  private static func kendallVariance(_ values: [Double], count: Double) -> Double {
    var ties: [Double: Double] = [:]
    for value in values { ties[value, default: 0] += 1 }
    // Sorted, so that the sum does not depend on the order of a dictionary.
    let correction = ties.values.sorted().reduce(0) { $0 + $1 * ($1 - 1) * (2 * $1 + 5) }
    return max((count * (count - 1) * (2 * count + 5) - correction) / 18, 0)
  }
}
