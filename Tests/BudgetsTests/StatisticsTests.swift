import Foundation
import Quantities
import Testing

@testable import Budgets

/// The expected values are those of scipy 1.17 and numpy 2.4, or counted on paper.
@Suite struct StatisticsTests {
  private func isNear(_ left: Double, _ right: Double, _ slack: Double = 1e-9) -> Bool {
    abs(left - right) <= slack
  }

  @Test func `of no runs the median is zero`() {
    #expect(Aggregation.median.value(of: []) == 0 && Aggregation.median.value(of: [7]) == 7)
  }

  @Test func `Mann and Whitney's test is exact for small samples`() {
    // scipy.stats.mannwhitneyu(method='exact')
    #expect(isNear(RankSum.pValue([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]), 2.0 / 924))
    #expect(
      isNear(
        RankSum.pValue([1.1, 2.2, 3.3, 4.4, 5.5], [2.5, 3.5, 6.5, 7.5, 8.5, 9.5]),
        0.08225108225108226))
    // With ties: 74 of the 924 ways to choose, as enumerated, and scipy.stats.permutation_test.
    #expect(isNear(RankSum.pValue([1, 2, 2, 3, 5, 5], [2, 4, 5, 6, 6, 7]), 74.0 / 924))
    #expect(RankSum.pValue([5, 5, 5], [5, 5, 5]) == 1)
    #expect(RankSum.pValue([], [1]) == 1)
  }

  @Test func `large samples take the normal approximation, corrected for ties`() {
    // scipy.stats.mannwhitneyu(method='asymptotic')
    let many = (0..<40).map { Double($0 * 37 % 101) / 7 }
    let others = (0..<35).map { Double($0 * 53 % 97) / 6.5 }
    #expect(isNear(RankSum.pValue(many, others), 0.8400893056482202))
    let tied = (0..<40).map { Double($0 * 37 % 11) }
    let tiedOthers = (0..<35).map { Double($0 * 53 % 13) }
    #expect(isNear(RankSum.pValue(tied, tiedOthers), 0.49518022629913905))
  }

  @Test func `Holm's correction, on paper`() {
    // 0.01·3, 0.02·2, 0.04·1 and never falling; then one above 1.
    let expected = [0.04, 0.03, 0.04]
    for (found, value) in zip(Holm.adjusted([0.04, 0.01, 0.02]), expected) {
      #expect(isNear(found, value))
    }
    #expect(Holm.adjusted([0.9, 0.8]) == [1, 1])
    #expect(Holm.adjusted([]) == [])
  }

  @Test func `bootstrap intervals hold the truth as often as they say, about`() {
    var generator = SeededGenerator(seed: 7)
    var held = 0
    for trial in 0..<100 {
      let values = (0..<15).map { _ in 100 + 10 * generator.normal() }
      if Bootstrap.median(values, seed: UInt64(trial)).contains(100) { held += 1 }
    }
    // 95 of 100 are expected of the ideal; the percentile method comes to some less.
    #expect((85...100).contains(held))
    #expect(Bootstrap.median([5, 5, 5]) == 5...5)
    #expect(Bootstrap.difference([5, 5, 5], [7, 7, 7]) == 2...2)
  }

  @Test func `figures without noise are told by their spread and need no test`() {
    let allowed = AllowedChange(relative: 0.05)
    func verdict(_ base: [Double], _ new: [Double]) -> ChangeVerdict? {
      ComparisonSuite.judge(
        [FigureSamples(base: base, new: new, allowed: allowed)], significance: 0.05
      ).first?.verdict
    }
    #expect(verdict([10, 10, 10], [12, 12, 12]) == .worse)
    #expect(verdict([10, 10, 10], [8, 8, 8]) == .better)
    #expect(verdict([10], [12, 12, 12]) == .worse)
    #expect(verdict([10], [12]) == .tooFewRuns)
    #expect(verdict([10, 11, 9], [14, 13, 15]) == .tooFewRuns)
    #expect(verdict([10, 10, 10], [10.4, 10.4, 10.4]) == .unchanged)
    #expect(verdict([10, 13, 9, 11, 12, 8], [12, 14, 9, 13, 10, 15]) == .ambiguous)
    #expect(verdict([10, 11, 9, 10, 11, 9], [14, 13, 15, 14, 13, 15]) == .worse)
  }

  @Test func `both limits of a change must be exceeded, in the bad direction`() {
    func verdict(
      _ new: Double, _ allowed: AllowedChange, _ direction: BudgetDirection = .lower
    ) -> ChangeVerdict? {
      ComparisonSuite.judge(
        [
          FigureSamples(
            base: [10, 10, 10], new: [new, new, new], allowed: allowed, direction: direction)
        ], significance: 0.05
      ).first?.verdict
    }
    let both = AllowedChange(relative: 0.1, absolute: 5)
    #expect(verdict(12, both) == .unchanged)
    #expect(verdict(16, both) == .worse)
    #expect(verdict(8, AllowedChange(relative: 0.1), .higher) == .worse)
    #expect(verdict(8, AllowedChange(relative: 0.1), .same) == .worse)
    #expect(verdict(12, AllowedChange(relative: 0.1), .higher) == .better)
  }
}

extension SeededGenerator {
  /// A number of the standard normal distribution (Box and Muller).
  mutating func normal() -> Double {
    let radius = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self)
    let angle = Double.random(in: 0..<(2 * Double.pi), using: &self)
    return (-2 * log(radius)).squareRoot() * cos(angle)
  }
}
