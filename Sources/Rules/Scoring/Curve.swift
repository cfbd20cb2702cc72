#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A log-normal scoring curve through two control points, as Lighthouse scores its metrics.
///
/// The complementary log-normal distribution whose value is 0.9 at `p10` and 0.5 at `median`.
package struct Curve: Sendable, Equatable {
  /// The value that scores 0.9.
  package var p10: Double
  /// The value that scores 0.5.
  package var median: Double
  /// Where the two figures come from.
  package var provenance: String

  /// Makes a curve; `p10` and `median` must be above zero and `p10` below `median`.
  package init(p10: Double, median: Double, provenance: String) {
    self.p10 = p10
    self.median = median
    self.provenance = provenance
  }

  /// The inverse complementary error function at 1/5, which puts 0.9 at `p10`.
  static let inverseErfcOneFifth = 0.9061938024368232

  /// Score of a value, from 1 (free) to 0.
  package func score(_ value: Double) -> Double {
    guard value.isFinite else { return 0 }
    guard value > 0 else { return 1 }
    guard p10 > 0, p10 < median else { return value <= median ? 1 : 0 }
    let x = log(value / median) * Self.inverseErfcOneFifth / -log(p10 / median)
    return min(max(0.5 * erfc(x), 0), 1)
  }
}
