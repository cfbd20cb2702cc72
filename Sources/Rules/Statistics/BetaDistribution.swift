#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The beta distribution: what is known of a share after so many of each kind.
enum BetaDistribution {
  /// The value below which a share of the distribution lies.
  static func quantile(_ share: Double, _ a: Double, _ b: Double) -> Double {
    var low = 0.0
    var high = 1.0
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if cumulative(middle, a, b) < share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// The regularised incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8).
  static func cumulative(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    // The fraction is quick on this side of the mean.
    if x > (a + 1) / (a + b + 2) { return 1 - cumulative(1 - x, b, a) }
    let front = exp(
      a * log(x) + b * log(1 - x) + LogGamma.of(a + b) - LogGamma.of(a) - LogGamma.of(b))
    let fraction = ContinuedFraction.value(
      first: 1,
      a: { index in
        let m = Double(index / 2)
        return index.isMultiple(of: 2)
          ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
          : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      }, b: { _ in 1 })
    return front / (a * fraction)
  }
}
