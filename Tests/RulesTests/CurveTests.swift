import Foundation
import Rules
import Testing

@Suite struct CurveTests {
  let curve = Curve(p10: 200, median: 600, provenance: "test")

  @Test func `control points score 0.9 and 0.5`() {
    #expect(abs(curve.score(200) - 0.9) < 1e-9)
    #expect(abs(curve.score(600) - 0.5) < 1e-12)
  }

  /// ln 3 = 1.0986123; at 1800 the argument of erfc is +0.9061938, so 0.5·erfc = 0.1. At 346.41
  /// (the geometric mean) it is −0.4530969 and erfc(−0.4530969) = 1.4783; half of that is 0.7391.
  @Test func `hand values`() {
    #expect(abs(curve.score(1800) - 0.1) < 1e-9)
    #expect(abs(curve.score(346.41016151) - 0.7391) < 2e-4)
  }

  @Test func `nothing scores 1, everything 0, and more never scores more`() {
    #expect(curve.score(0) == 1)
    #expect(curve.score(-5) == 1)
    #expect(curve.score(.infinity) == 0)
    #expect(curve.score(.nan) == 0)
    #expect(curve.score(1e300) == 0)
    let scores = stride(from: 1.0, to: 5000, by: 7).map { curve.score($0) }
    #expect(zip(scores, scores.dropFirst()).allSatisfy { $0 >= $1 })
  }
}
