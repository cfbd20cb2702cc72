import Quantities
import Signals
import Testing

@Suite struct StatisticsTests {
  @Test func `a steady rate ignores what happens once`() {
    #expect(SteadyRate.perSecond([(time: 3, amount: 1e6)], durationSeconds: 60) == 0)
    let steady = (0..<600).map { (time: Double($0) * 0.1, amount: 50.0) }
    #expect(abs(SteadyRate.perSecond(steady, durationSeconds: 60) - 500) < 10)
    #expect(SteadyRate.perSecond([], durationSeconds: 0) == 0)
  }

  @Test func `a line through an outlier keeps its slope`() throws {
    var points = (0..<20).map { (x: Double($0), y: 3 * Double($0) + 1) }
    points[7].y = 10_000
    let fit = try #require(TheilSen(points))
    #expect(abs(fit.slope - 3) < 1e-9)
    #expect(fit.excludesZero)
    #expect(fit.interval.contains(3))
  }

  /// Kendall's variance for 5 points is 5·4·15/18 = 16.667, so Sen's bounds are 1.96·4.082 = 8.0
  /// ranks apart: the 10 slopes from the first to the last but one and on.
  @Test func `the interval of Sen on paper`() throws {
    let fit = try #require(TheilSen([(0, 0), (1, 1), (2, 1.5), (3, 3.5), (4, 4)]))
    // Slopes in order: 0.5 0.5 0.75 1 1 1 1.1667 1.25 1.25 2.
    #expect(abs(fit.slope - 1) < 1e-12)
    #expect(fit.interval.lowerBound == 0.5)
    #expect(fit.interval.upperBound == 2)
  }

  @Test func `noise without growth holds zero, at about the rate promised`() throws {
    var random = SeededGenerator(seed: 42)
    var excluded = 0
    for _ in 0..<400 {
      let points = (0..<40).map { (x: Double($0), y: random.unit()) }
      if try #require(TheilSen(points)).excludesZero { excluded += 1 }
    }
    // 5 % of 400 is 20, with a standard deviation of 4.4.
    #expect(excluded > 5 && excluded < 38)
  }

  @Test func `growth in noise is found, and many points are thinned`() throws {
    var random = SeededGenerator(seed: 7)
    let points = (0..<6000).map { (x: Double($0) * 0.1, y: Double($0) + random.unit() * 100) }
    let fit = try #require(TheilSen(points))
    #expect(abs(fit.slope - 10) < 0.1)
    #expect(fit.interval.contains(10))
  }

  // A footprint that rises for 15 s and falls at once was growth, with bounds well above zero, from four of five
  // beginnings on: readings a tenth of a second apart are hardly two.
  @Test(arguments: [1.0, 3, 5, 9, 13]) func `a saw-tooth does not grow`(start: Double) throws {
    let points = (0..<400).map { index in
      let time = start + Double(index) / 10
      return (x: time / 60, y: time.truncatingRemainder(dividingBy: 15) / 15 * 4_096_000)
    }
    #expect(try !#require(TheilSen(points)).excludesZero)
  }

  // As many steps as a random number of a mean, which is what the rate is known by.
  @Test func `the bounds of rare steps hold their rate as often as they say`() throws {
    var random = SeededGenerator(seed: 7)
    var held = 0
    let (runs, readings, rate) = (200, 300, 0.05)
    for _ in 0..<runs {
      var level = 0.0
      let points = (0..<readings).map { index in
        if random.unit() < rate { level += 1 }
        return (x: Double(index), y: level)
      }
      if try #require(TheilSen(points)).interval.contains(rate) { held += 1 }
    }
    #expect(Double(held) > 0.88 * Double(runs), "\(held)")
  }

  @Test func `too few points, equal points and no numbers`() throws {
    #expect(TheilSen([]) == nil)
    #expect(TheilSen([(0, 1), (1, 2), (2, 3)]) == nil)
    #expect(TheilSen([(1, 1), (1, 2), (1, 3), (1, 4)]) == nil)
    #expect(TheilSen([(0, .nan), (1, 2), (2, 3), (3, 4)]) == nil)
    let flat = try #require(TheilSen((0..<30).map { (x: Double($0), y: 5) }))
    #expect(flat.slope == 0 && !flat.excludesZero)
  }

  @Test func `a period with jitter`() throws {
    var random = SeededGenerator(seed: 3)
    let times = (0..<200).map { Double($0) * 0.02 + random.unit() * 0.001 }
    let found = try #require(Periodicity.detect(times))
    #expect(abs(found.periodSeconds - 0.02) < 0.0001)
    #expect(found.count == 200)
    #expect(found.missed == 0)
    #expect(found.jitterSeconds > 0 && found.jitterSeconds < 0.001)
  }

  @Test func `a period with misses`() throws {
    var random = SeededGenerator(seed: 9)
    let times = (0..<300).filter { _ in random.unit() > 0.2 }.map { Double($0) * 0.5 }
    let found = try #require(Periodicity.detect(times))
    #expect(abs(found.periodSeconds - 0.5) < 0.001)
    #expect(found.missed > 30)
    #expect(found.jitterSeconds < 1e-9)
  }

  @Test func `a period with strangers in between`() throws {
    let times = (0..<50).map { Double($0) } + [10.3, 30.6]
    let found = try #require(Periodicity.detect(times.sorted()))
    #expect(abs(found.periodSeconds - 1) < 0.01)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `random times have no period`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let times = (0..<100).map { _ in random.unit() * 100 }.sorted()
    #expect(Periodicity.detect(times) == nil)
  }

  @Test func `too few times have no period`() {
    #expect(Periodicity.detect([]) == nil)
    #expect(Periodicity.detect([1, 2, 3]) == nil)
    #expect(Periodicity.detect([1, 1, 1, 1, 1]) == nil)
    #expect(Periodicity.detect([1, 2, 3, 4])?.count == 4)
  }
}
