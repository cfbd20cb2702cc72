import Testing

@testable import Recording

@Suite struct NamesMeanwhileTests {
  @Test func `the first process is told of at once, and of many seldom`() {
    let second: UInt64 = 1_000_000_000
    var names = NamesMeanwhile()
    func areDue(_ count: Int, at time: UInt64) -> Bool { names.areDue(count, now: time) }
    #expect(!areDue(0, at: second))
    #expect(areDue(1, at: second))
    #expect(!areDue(1, at: 2 * second))
    #expect(areDue(2, at: 2 * second) && !areDue(3, at: 2 * second + 1))
    #expect(areDue(3, at: 3 * second))
    // A hundred new ones a second, for an hour.
    var (times, told) = (0, 0)
    for count in 300..<360_000
    where areDue(count, at: 4 * second + UInt64(count) * second / 100) {
      (times, told) = (times + 1, told + count)
    }
    #expect(times < 100 && told < 3_000_000, "\(times) times, \(told) in all")
  }
}
