#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A score of 0 to 100 as far as it is known: its best value and its bounds.
package struct ScoreRange: Sendable, Equatable {
  /// The least that it is.
  package var low: Double
  /// What it most likely is.
  package var value: Double
  /// The most that it is.
  package var high: Double

  /// Makes a range.
  package init(low: Double, value: Double, high: Double) {
    self.low = low
    self.value = value
    self.high = high
  }

  /// Points from one end to the other.
  package var width: Double { high - low }

  /// The same value, within bounds that hold another's too.
  func spanning(_ other: ScoreRange) -> ScoreRange {
    ScoreRange(low: min(low, other.low), value: value, high: max(high, other.high))
  }

  /// Nothing above this.
  func capped(low: Double, value: Double, high: Double) -> ScoreRange {
    ScoreRange(
      low: min(self.low, low), value: min(self.value, value), high: min(self.high, high))
  }
}

/// One term of a mean of scores.
struct ScorePart: Sendable, Equatable {
  /// Nil where it was not measured, so that it may be anything.
  var range: ScoreRange?
  var weight: Double
}

/// The geometric mean of scores, each of which counts as at least a floor, so that one does not wipe out the rest.
///
/// What the parts' bounds come from are independent chances, so they are not all at their worst together: the mean's
/// distance to its bound is the root of the sum of the squares of the parts' distances (Zou and Donner's *method of
/// variance estimates recovery*, 2008), on the logarithms. A part may be below the floor by as much as it likes: its
/// distance is to its own bound, and the mean is no lower than with all parts at theirs. What was not measured is not
/// by chance: it goes from the floor to 100.
enum ScoreMean {
  /// Scores below this are alike.
  private static let leastScore = 0.1

  /// Nil where no part has a weight, or none with a weight was measured.
  static func of(_ parts: [ScorePart], floor: Double) -> ScoreRange? {
    func logarithm(_ score: Double, from least: Double) -> Double {
      log(min(max(score, least), 100))
    }
    var (sum, weights, unmeasured) = (0.0, 0.0, 0.0)
    var (lowest, below, above) = (0.0, 0.0, 0.0)
    for part in parts where part.weight > 0 {
      guard let range = part.range else {
        unmeasured += part.weight
        continue
      }
      let value = logarithm(range.value, from: floor)
      sum += part.weight * value
      weights += part.weight
      lowest += part.weight * logarithm(range.low, from: floor)
      let down = part.weight * (value - logarithm(range.low, from: leastScore))
      let up = part.weight * (logarithm(range.high, from: floor) - value)
      below += down * down
      above += up * up
    }
    guard weights > 0 else { return nil }
    let all = weights + unmeasured
    let seen = max(sum - below.squareRoot(), lowest)
    // What has the logarithm of a hundred comes back as a little more.
    func score(_ logarithm: Double) -> Double { min(exp(logarithm), 100) }
    let low = score((seen + unmeasured * log(floor)) / all)
    let high = score((sum + above.squareRoot() + unmeasured * log(100)) / all)
    return ScoreRange(low: low, value: min(max(score(sum / weights), low), high), high: high)
  }
}
