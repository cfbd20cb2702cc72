import Quantities
import Testing

@Suite struct FiguresTests {
  @Test(arguments: [
    (0.0, 2, "0.00"), (1.005, 1, "1.0"), (9.999, 2, "10.00"), (-0.001, 2, "0.00"),
    (-1.5, 0, "-2"), (1234.5678, 3, "1234.568"), (0.05, 1, "0.1"), (12.04, 2, "12.04"),
    (16.25, 1, "16.2"), (0.15, 1, "0.1"), (2.675, 2, "2.67"), (0.5, 0, "0"), (1e300, 1, "1e+300"),
  ])
  func `fixed figures`(value: Double, digits: Int, text: String) {
    #expect(Figures.fixed(value, digits) == text)
  }

  @Test(arguments: [
    (0, "0 s"), (0.000_000_25, "250 ns"), (0.000_048, "48.0 µs"), (0.000_607_2, "607 µs"),
    (0.0123, "12.3 ms"), (0.1504, "150 ms"), (2.5, "2.5 s"), (59.94, "59.9 s"),
    (600, "10.0 min"), (-0.0123, "-12.3 ms"),
  ])
  func `times, in the unit that suits them`(seconds: Double, text: String) {
    #expect(Figures.seconds(seconds) == text)
  }

  @Test func `sizes, in decimal units`() {
    #expect(Figures.bytes(UInt64(999)) == "999 B")
    #expect(Figures.bytes(UInt64(1_234_567)) == "1.23 MB")
    #expect(Figures.bytes(-2048.0) == "-2.05 kB")
    #expect(Figures.bytes(3e9) == "3 GB")
  }

  @Test func `energies and shares`() {
    #expect(Figures.joules(0.101) == "101 mJ")
    #expect(Figures.joules(0.00395) == "3.95 mJ")
    #expect(Figures.joules(12.786) == "12.8 J")
    #expect(Figures.joules(9999) == "9999 J" && Figures.joules(24_370) == "24.4 kJ")
    #expect(Figures.percent(0.256) == "25.6 %")
    let shares = [0.118, 0.0741, 1, 0].map { Figures.percent($0, digits: 2) }
    #expect(shares == ["12 %", "7.4 %", "100 %", "0 %"])
  }

  @Test func `counts, grouped, with their nouns`() {
    #expect(Figures.grouped(-1_234_567) == "-1,234,567")
    #expect(Figures.grouped(100) == "100")
    #expect(Figures.count(1, "wait") == "1 wait")
    #expect(Figures.count(1200, "wait") == "1,200 waits")
    #expect(Figures.count(0, "entry", "entries") == "0 entries")
  }

  @Test func `periods of samples are mostly whole`() {
    #expect(Figures.period(251) == "251")
    #expect(Figures.period(39) == "39")
    #expect(Figures.period(16.25) == "16.2")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `what is no number is shown as unknown`(value: Double) {
    #expect(Figures.fixed(value, 2) == "?")
    #expect(Figures.bytes(value).hasPrefix("?"))
    #expect(Figures.seconds(value).hasPrefix("?"))
  }

  @Test(arguments: [
    (0.0216, 1, "20 ms"), (0.0216, 2, "22 ms"), (0.0216, 3, "21.6 ms"), (1.5, 1, "2 s"),
    (1.04, 2, "1 s"), (0.000_96, 1, "1 ms"), (0, 1, "0 s"),
  ])
  func `a time has no more digits than are known`(value: Double, digits: Int, text: String) {
    #expect(Figures.seconds(value, digits: digits) == text)
  }

  @Test func `quantiles of counted lengths are right to a thirty-second part`() throws {
    var random = SeededGenerator(seed: 7)
    var histogram = SpanHistogram()
    var values: [Double] = []
    for _ in 0..<20_000 {
      // From nanoseconds to minutes.
      let length = Int64(random.next() >> (20 + random.next() % 44))
      histogram.add(length)
      values.append(Double(length) / 1e9)
    }
    values.sort()
    for share in [0.01, 0.5, 0.95, 0.99, 1] {
      let exact = values[max(0, Int((share * 20_000).rounded(.up)) - 1)]
      let found = try #require(histogram.quantile(share))
      #expect(abs(found - exact) <= exact / 32 + 1e-9, "\(share): \(found), not \(exact)")
    }
    #expect(SpanHistogram().quantile(0.5) == nil)
  }
}
