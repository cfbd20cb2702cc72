import Testing

@testable import Rules

@Suite struct ScoreMeanTests {
  // The JSON had scores of 100.00000000000004.
  @Test(arguments: 1...20)
  func `a mean of scores of 100 is 100, and never more`(count: Int) {
    let best = ScoreRange(low: 100, value: 100, high: 100)
    let parts = (1...count).map { ScorePart(range: best, weight: 1 / Double($0)) }
    for parts in [parts, parts + [ScorePart(range: nil, weight: 0.3)]] {
      let mean = ScoreMean.of(parts, floor: 5)
      #expect(mean.map { $0.high <= 100 && $0.value <= 100 && $0.low <= 100 } == true)
    }
    #expect(ScoreMean.of(parts, floor: 5).map { $0.value > 100 - 1e-9 } == true)
  }
}
