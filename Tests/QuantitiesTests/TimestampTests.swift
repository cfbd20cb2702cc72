import Quantities
import Testing

@Suite struct `Times and spans` {
  @Test func `the distance of two times has a sign`() {
    let early = Timestamp(nanoseconds: 1_000)
    let late = Timestamp(nanoseconds: 3_500)
    #expect((late - early).nanoseconds == 2_500)
    #expect((early - late).nanoseconds == -2_500)
    #expect(late + (early - late) == early)
    #expect(early < late)
  }

  @Test func `seconds are rounded to nanoseconds`() {
    #expect(TimeSpan(seconds: 1.5).nanoseconds == 1_500_000_000)
    #expect(TimeSpan(seconds: 1.5e-9).nanoseconds == 2)
    #expect(TimeSpan(nanoseconds: -250_000_000).seconds == -0.25)
  }

  @Test func `what fits in no span is the longest, and what is no number none`() {
    #expect(TimeSpan(seconds: 1e300).nanoseconds == .max)
    #expect(TimeSpan(seconds: -1e300).nanoseconds == .min)
    #expect(TimeSpan(seconds: .nan) == .zero)
  }
}
