import Quantities
import Testing

@Suite struct SeededGeneratorTests {
  /// The first numbers of seed 1234567 as the authors' own program gives them.
  @Test func `numbers are SplitMix64's`() {
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in generator.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }

  @Test func `units are from zero to below one`() {
    var generator = SeededGenerator(seed: 1)
    let units = (0..<1000).map { _ in generator.unit() }
    #expect(units.allSatisfy { (0..<1).contains($0) })
    #expect((0.45...0.55).contains(units.reduce(0, +) / 1000))
  }
}
