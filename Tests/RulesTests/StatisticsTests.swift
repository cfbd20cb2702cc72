import Foundation
import Testing

@testable import Rules

/// The bounds against published tables, hand values and known cases.
@Suite struct StatisticsTests {
  /// Garwood's 95 % limits of a Poisson count, as tables have them (Pearson and Hartley, table 40).
  @Test(arguments: [
    (0, 0, 3.689), (1, 0.0253, 5.572), (2, 0.242, 7.225), (3, 0.619, 8.767), (5, 1.623, 11.668),
    (10, 4.795, 18.390), (20, 12.217, 30.888), (50, 37.11, 65.92), (100, 81.36, 121.63),
  ])
  func `a count's bounds are Garwood's`(count: Int, low: Double, high: Double) {
    let bounds = EventSum(count: count).bounds
    #expect(abs(bounds.low - low) < 0.006, "\(bounds)")
    #expect(abs(bounds.high - high) < 0.006, "\(bounds)")
  }

  /// Clopper and Pearson's 95 % limits: none of ten, one of ten, half of twenty; 1 − 0.025^(1/10) = 0.3085 by hand.
  @Test(arguments: [
    (0.0, 10.0, 0, 0.3085), (1, 10, 0.0025, 0.4450), (10, 20, 0.2720, 0.7280),
    (29, 30, 0.8278, 0.9992),
  ])
  func `a share's bounds are Clopper and Pearson's`(
    count: Double, all: Double, low: Double, high: Double
  ) {
    let bounds = Bounds.share(count, of: all)
    #expect(abs(bounds.low - low) < 1e-4 && abs(bounds.high - high) < 1e-4, "\(bounds)")
  }

  /// Half of chi-square's 95th percentile at 2, 10 and 100 degrees is 2.9957, 9.1535 and 62.171.
  @Test(arguments: [(1.0, 2.9957), (5, 9.1535), (50, 62.171)])
  func `quantiles of the gamma distribution are the tables'`(shape: Double, value: Double) {
    #expect(abs(GammaDistribution.quantile(0.95, shape: shape) - value) < 1e-3)
    #expect(abs(GammaDistribution.cumulative(value, shape: shape) - 0.95) < 1e-4)
  }

  @Test func `large counts go on from small ones`() {
    let shape = GammaDistribution.largeShape
    let exact = GammaDistribution.quantile(0.975, shape: shape)
    let near = GammaDistribution.wilsonHilferty(0.975, shape: shape)
    #expect(abs(exact / near - 1) < 1e-6)
    #expect(
      abs(LogGamma.of(5) - log(24)) < 1e-12 && abs(LogGamma.of(0.5) - log(Double.pi) / 2) < 1e-12)
  }

  @Test func `sums of one size are counts of that size, and nothing seen is one unseen event`() {
    let sizes = EventSum(sizes: [2, 2, 2], unseen: 1).bounds
    let count = EventSum(count: 3).bounds
    #expect(abs(sizes.low - 2 * count.low) < 1e-9 && abs(sizes.high - 2 * count.high) < 1e-9)
    let none = EventSum(sizes: [], unseen: 50).bounds
    #expect(none.low == 0 && abs(none.high - 50 * 3.6889) < 0.01)
    // One large event among small ones is known less well than as many of one size.
    let mixed = EventSum(sizes: [0.1, 0.1, 5.8], unseen: 0).bounds
    #expect(mixed.low < sizes.low && mixed.high > sizes.high)
  }

  /// Random recordings of a process whose events last for random times: what they come to in the long run lies within
  /// the bounds in at least nine of ten, and these shrink with the time.
  @Test(arguments: [0.2, 1, 5], [Size.equal, .exponential, .uniform])
  func `the true sum lies within the bounds of random recordings`(rate: Double, size: Size) {
    var random = SeededNumbers(state: UInt64(rate * 10) &+ 77)
    var last = Double.infinity
    for seconds in [2.0, 10, 50, 250] {
      var (within, width) = (0, 0.0)
      let runs = 300
      for _ in 0..<runs {
        let sizes = (0..<random.events(rate, seconds)).map { _ in random.size(size) }
        let bounds = EventSum(sizes: sizes, unseen: 1).bounds.scaled(by: 1 / seconds)
        if bounds.low <= rate, rate <= bounds.high { within += 1 }
        width += (bounds.high - bounds.low) / Double(runs)
      }
      #expect(within >= runs * 9 / 10, "\(within) of \(runs) in \(seconds) s")
      #expect(width < last, "\(seconds) s")
      last = width
    }
  }

  /// Shares of random samples: the true one lies within their bounds in at least 95 of a hundred.
  @Test(arguments: [0.02, 0.3, 0.5, 0.97])
  func `the true share lies within the bounds of random samples`(share: Double) {
    var random = SeededNumbers(state: 5)
    for all in [5, 30, 200] {
      let within = (0..<300).count { _ in
        let count = (0..<all).count { _ in random.unit() < share }
        let bounds = Bounds.share(Double(count), of: Double(all))
        return bounds.low <= share && share <= bounds.high
      }
      #expect(within >= 300 * 93 / 100, "\(within) of 300 with \(all)")
    }
  }
}

/// How the sizes of events are distributed; their mean is 1.
enum Size: CaseIterable { case equal, exponential, uniform }

/// Numbers that look random and are the same each time (SplitMix64).
struct SeededNumbers {
  var state: UInt64

  /// A number from 0 up to 1.
  mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
  }

  /// A gap with a mean of 1.
  mutating func gap() -> Double { -log(1 - unit()) }

  /// How many events occur in so many seconds.
  mutating func events(_ rate: Double, _ seconds: Double) -> Int {
    var count = 0
    var time = gap() / rate
    while time <= seconds {
      count += 1
      time += gap() / rate
    }
    return count
  }

  mutating func size(_ size: Size) -> Double {
    switch size {
    case .equal: 1
    case .exponential: gap()
    case .uniform: 2 * unit()
    }
  }
}
