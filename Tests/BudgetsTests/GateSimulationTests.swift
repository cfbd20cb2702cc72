import Foundation
import Quantities
import Testing

@testable import Budgets

/// The promise of the gate, held over many invented suites; the seed is fixed.
@Suite struct GateSimulationTests {
  static let figures = 20
  static let plan = SamplingPlan(first: 6, most: 24, significance: 0.05)

  /// One suite: figures of so much noise, the first of them changed by a factor; who is found worse.
  static func suite(
    noise: Double, factor: Double, tolerance: Double,
    _ generator: inout SeededGenerator
  ) -> [ChangeVerdict] {
    var samples = (0..<figures).map { _ in
      FigureSamples(base: [], new: [], allowed: AllowedChange(relative: tolerance))
    }
    var outcomes: [ComparisonSuite.Outcome] = []
    for look in plan.looks {
      for index in samples.indices {
        while samples[index].base.count < look {
          samples[index].base.append(100 * exp(noise * generator.normal()))
          let change = index == 0 ? factor : 1
          samples[index].new.append(100 * change * exp(noise * generator.normal()))
        }
      }
      outcomes = ComparisonSuite.judge(samples, significance: plan.significancePerLook)
      if !plan.needsMore(outcomes) { break }
    }
    return outcomes.map(\.verdict)
  }

  /// Tolerance zero is the worst case: nothing but the test stands between noise and a failure.
  @Test(arguments: [(0.03, 0.05), (0.2, 0.05), (0.05, 0.0)])
  func `without a change fewer than one suite in twenty fails`(
    noise: Double, tolerance: Double
  ) {
    var generator = SeededGenerator(seed: 20_261_122)
    let suites = 300
    var failed = 0
    for _ in 0..<suites {
      let verdicts = Self.suite(
        noise: noise, factor: 1, tolerance: tolerance, &generator)
      if verdicts.contains(.worse) { failed += 1 }
    }
    #expect(Double(failed) / Double(suites) < 0.05, "\(failed) of \(suites) failed")
  }

  @Test func `a change of a tenth under three per cent of noise is found`() {
    var generator = SeededGenerator(seed: 4711)
    let suites = 300
    var found = 0
    for _ in 0..<suites {
      let verdicts = Self.suite(noise: 0.03, factor: 1.1, tolerance: 0.05, &generator)
      if verdicts[0] == .worse { found += 1 }
    }
    #expect(Double(found) / Double(suites) > 0.95, "\(found) of \(suites) found")
  }

  @Test func `runs go on while it is not clear, and end`() {
    #expect(Self.plan.looks == [6, 9, 14, 21])
    #expect(SamplingPlan(first: 2, most: 6, significance: 0.05).looks == [6])
    #expect(SamplingPlan(first: 10, most: 12, significance: 0.05).looks == [10, 12])
    #expect(Self.plan.needsMore([.init(verdict: .ambiguous, pValue: 0.2)]))
    #expect(!Self.plan.needsMore([.init(verdict: .worse, pValue: 0.001)]))
  }
}
