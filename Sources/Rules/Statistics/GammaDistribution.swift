#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The gamma distribution of scale 1: how much exposure it takes until so many events have occurred.
enum GammaDistribution {
  /// Shapes above this are taken for normal after a cube root, which is then right to six digits.
  static let largeShape = 10_000.0

  /// The value below which a share of the distribution lies; half of chi-square's at twice the shape.
  static func quantile(_ share: Double, shape: Double) -> Double {
    guard shape > 0, share > 0 else { return 0 }
    if shape > largeShape { return wilsonHilferty(share, shape: shape) }
    var low = 0.0
    var high = shape + 1
    while cumulative(high, shape: shape) < share { high *= 2 }
    // Halving is slower than Newton's steps and cannot go astray.
    for _ in 0..<100 where high - low > 1e-13 * high {
      let middle = (low + high) / 2
      if cumulative(middle, shape: shape) < share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// The share of the distribution below a value: the regularised lower incomplete gamma function.
  ///
  /// By its series below the mean and by its continued fraction above (Abramowitz and Stegun 6.5.29 and 6.5.31).
  static func cumulative(_ x: Double, shape a: Double) -> Double {
    guard x > 0 else { return 0 }
    let factor = exp(a * log(x) - x - LogGamma.of(a))
    if x < a + 1 {
      var term = 1 / a
      var sum = term
      var n = a
      while term > sum * 1e-16 {
        n += 1
        term *= x / n
        sum += term
      }
      return min(1, sum * factor)
    }
    let tail = ContinuedFraction.value(
      first: x + 1 - a, a: { -Double($0) * (Double($0) - a) },
      b: { x + 2 * Double($0) + 1 - a })
    return max(0, 1 - factor / tail)
  }

  /// The cube root of a gamma variable is very nearly normal (Wilson and Hilferty, 1931).
  static func wilsonHilferty(_ share: Double, shape: Double) -> Double {
    let root = 1 - 1 / (9 * shape) + NormalDistribution.quantile(share) / (3 * shape.squareRoot())
    return shape * root * root * root
  }
}

/// The normal distribution.
enum NormalDistribution {
  /// The value below which a share of the distribution lies.
  static func quantile(_ share: Double) -> Double {
    var low = -40.0
    var high = 40.0
    for _ in 0..<80 {
      let middle = (low + high) / 2
      if 0.5 * erfc(-middle / 2.0.squareRoot()) < share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

/// The logarithm of the gamma function.
enum LogGamma {
  /// Stirling's series with six terms, after the argument has been raised above 10; right to 1e-14.
  static func of(_ x: Double) -> Double {
    var x = x
    var product = 1.0
    while x < 10 {
      product *= x
      x += 1
    }
    let inverse = 1 / x
    let square = inverse * inverse
    let series =
      inverse
      * (1.0 / 12 - square
        * (1.0 / 360 - square
          * (1.0 / 1260 - square * (1.0 / 1680 - square * (1.0 / 1188 - square * 691 / 360360)))))
    return (x - 0.5) * log(x) - x + 0.5 * log(2 * Double.pi) + series - log(product)
  }
}

/// Continued fractions by the method of Lentz.
enum ContinuedFraction {
  /// `first + a(1) / (b(1) + a(2) / (b(2) + …))`.
  static func value(
    first: Double, a: (Int) -> Double, b: (Int) -> Double
  ) -> Double {
    let tiny = 1e-300
    var value = first == 0 ? tiny : first
    var c = value
    var d = 0.0
    for index in 1..<100_000 {
      d = b(index) + a(index) * d
      if d == 0 { d = tiny }
      c = b(index) + a(index) / c
      if c == 0 { c = tiny }
      d = 1 / d
      value *= c * d
      if abs(c * d - 1) < 1e-15 { break }
    }
    return value
  }
}
