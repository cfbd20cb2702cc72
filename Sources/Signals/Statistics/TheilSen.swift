import Quantities

/// A robust straight line: the median of the slopes of all pairs of points.
package struct TheilSen: Sendable, Equatable {
  /// The slope, in units of y per unit of x.
  package var slope: Double
  /// Bounds of the slope at the confidence asked for (Sen 1968, by Kendall's variance), wider where neighbours are
  /// alike.
  ///
  /// Sen's bounds take each point for evidence of its own. Where what is left of a point beside the line is much like
  /// what is left of the one before, as of stairs, saw-teeth and curves, so many points tell as much as
  /// (1 − ρ) / (1 + ρ) of them would (Bayley and Hammersley 1946). Where that wanders, as of steps at random, the slope
  /// is known no better than by what it was in ten parts.
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
    let likeness = Self.likeness(ofNeighbours: used, slope: median)
    let wider = ((1 + likeness) / (1 - likeness)).squareRoot()
    let (below, above) = (max(0, median - lower), max(0, upper - median))
    let wander = likeness > Self.wandering ? Self.bound(ofWandering: used) : 0
    interval = (median - max(wider * below, wander))...(median + max(wider * above, wander))
  }

  /// What steps at random leave beside the line wanders: from so alike neighbours on it is taken to.
  private static let wandering = 0.8
  private static let parts = 10
  /// Student's quantile of 95 % for nine degrees of freedom.
  private static let student = 2.262

  /// How far the slope may be off by what it was in ten equal parts, each from its first point to the next one's.
  private static func bound(ofWandering points: [(x: Double, y: Double)]) -> Double {
    guard points.count > 4 * parts else { return 0 }
    let ends = (0...parts).map { points[$0 * (points.count - 1) / parts] }
    let slopes = zip(ends, ends.dropFirst()).filter { $0.x < $1.x }
      .map { ($1.y - $0.y) / ($1.x - $0.x) }
    guard slopes.count == parts else { return 0 }
    let mean = slopes.reduce(0, +) / Double(parts)
    let variance = slopes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(parts - 1)
    return student * (variance / Double(parts)).squareRoot()
  }

  /// The correlation of what is left beside the line with that of the next point, from 0 to `mostAlike`.
  private static func likeness(
    ofNeighbours points: [(x: Double, y: Double)], slope: Double
  ) -> Double {
    let left = points.map { $0.y - slope * $0.x }
    let mean = left.reduce(0, +) / Double(left.count)
    let whole = left.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    guard whole > 0 else { return 0 }
    let beside = zip(left, left.dropFirst()).reduce(0) { $0 + ($1.0 - mean) * ($1.1 - mean) }
    let found = max(beside / whole, 0)
    // What is found of few points is too little by so much (Kendall 1954), and most so where it matters.
    return min(found + found * (1 + 4 * found) / Double(left.count), mostAlike)
  }

  /// Points that are no more different than that are not told apart from one.
  private static let mostAlike = 0.999

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
