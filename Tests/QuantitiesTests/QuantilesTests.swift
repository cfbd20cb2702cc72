import Quantities
import Testing

@Suite struct QuantilesTests {
  @Test func `medians`() {
    #expect(Quantiles.median([]) == nil)
    #expect(Quantiles.median([7]) == 7)
    #expect(Quantiles.median([3, 1, 2]) == 2)
    #expect(Quantiles.median([4, 1, 2, 3]) == 2.5)
  }

  @Test func `quantiles lie between neighbours`() {
    #expect(Quantiles.quantile(0.95, of: (0...100).map(Double.init)) == 95)
    #expect(Quantiles.quantile(0, of: [5, 6]) == 5)
    #expect(Quantiles.quantile(1, of: [5, 6]) == 6)
    #expect(Quantiles.quantile(0.25, of: [0, 10]) == 2.5)
    #expect(Quantiles.quantile(2, ofSorted: [1, 2]) == 2)
    #expect(Quantiles.quantile(-1, ofSorted: [1, 2]) == 1)
  }

  @Test(arguments: [(0.1, 1.0), (0.5, 3.5), (0.9, 6.9), (0.95, 7.95)])
  func `quantiles are numpy's`(share: Double, value: Double) throws {
    let found = try #require(Quantiles.quantile(share, of: [3, 1, 4, 1, 5, 9, 2, 6]))
    #expect(abs(found - value) < 1e-9)
  }
}
