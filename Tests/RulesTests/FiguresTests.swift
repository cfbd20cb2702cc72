import Testing

@testable import Rules

@Suite struct FiguresTests {
  @Test(arguments: [
    (0.0, 2, "0.00"), (1.005, 1, "1.0"), (9.999, 2, "10.00"), (-0.001, 2, "0.00"),
    (-1.5, 0, "-2"), (1234.5678, 3, "1234.568"), (0.05, 1, "0.1"), (12.04, 2, "12.04"),
  ])
  func `fixed figures`(value: Double, digits: Int, text: String) {
    #expect(Figures.fixed(value, digits) == text)
  }

  @Test func `figures for people`() {
    #expect(Figures.seconds(0.1504) == "150 ms")
    #expect(Figures.seconds(2.5) == "2.50 s")
    #expect(Figures.bytes(999) == "999 bytes")
    #expect(Figures.bytes(1_234_567) == "1.23 MB")
    #expect(Figures.joules(0.00395) == "3.95 mJ")
    #expect(Figures.count(1, "wait") == "1 wait")
    #expect(Figures.fixed(.infinity, 1) == "∞")
  }

  @Test func `rates of short recordings are not extrapolated`() {
    #expect(Rates.perMinute(50, over: 2) == 50)
    #expect(Rates.perMinute(50, over: 120) == 25)
    #expect(Rates.perSecond(50, over: 1) == 5)
    #expect(Rates.perSecond(50, over: 25) == 2)
    #expect(Rates.perDay(1, over: 60) == 24)
    #expect(Rates.perDay(2, over: 7200) == 24)
  }
}
