import Testing

@testable import Rules

@Suite struct RatesTests {
  @Test func `rates of short recordings are not extrapolated`() {
    #expect(Rates.perMinute(50, over: 2) == 50)
    #expect(Rates.perMinute(50, over: 120) == 25)
    #expect(Rates.perSecond(50, over: 1) == 5)
    #expect(Rates.perSecond(50, over: 25) == 2)
    #expect(Rates.perDay(1, over: 60) == 24)
    #expect(Rates.perDay(2, over: 7200) == 24)
  }
}
