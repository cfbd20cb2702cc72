/// How many runs to make: few at first, more while it is not clear what they say.
package struct SamplingPlan: Sendable, Equatable {
  /// Runs of each side at each look, rising.
  package let looks: [Int]
  /// The chance of an error at each look: all looks together keep to the one that was asked for.
  package let significancePerLook: Double

  /// Begins with so many runs of each side, at least six, and goes on half as many again each time.
  package init(first: Int, most: Int, significance: Double) {
    var looks = [max(first, FigureSamples.fewest)]
    while looks.count < 4, let last = looks.last, last < most {
      looks.append(min(most, (last * 3 + 1) / 2))
    }
    self.looks = looks
    significancePerLook = significance / Double(looks.count)
  }

  /// Whether it takes more runs to tell.
  package func needsMore(_ outcomes: [ComparisonSuite.Outcome]) -> Bool {
    outcomes.contains { $0.verdict == .ambiguous || $0.verdict == .tooFewRuns }
  }
}
