import Testing

@testable import Recording

@Suite struct StrangerWakesTests {
  /// Programs of others, so many a second for so long; how many of them woke the recorder.
  private func woken(
    _ wakes: inout StrangerWakes, perSecond: Double, seconds: Double, from start: Double
  ) -> Int {
    var count = 0
    for index in 0..<Int(perSecond * seconds) {
      let now = UInt64((start + Double(index) / perSecond) * 1e9)
      if wakes.areHeard(now: now) { count += 1 }
      wakes.note(1, now: now)
    }
    return count
  }

  @Test func `a build beside the target wakes it few times, a command now and then each time`() {
    var wakes = StrangerWakes()
    // 21 at once and those of 0.2 s, then a pause of five seconds: twelve times in a minute.
    let beside = woken(&wakes, perSecond: 100, seconds: 60, from: 1)
    #expect(beside > 12 * 20 && beside < 13 * 25)
    #expect(woken(&wakes, perSecond: 1, seconds: 60, from: 100) == 60)
  }

  @Test func `a target that begins programs itself is heard again at once`() {
    var wakes = StrangerWakes()
    _ = woken(&wakes, perSecond: 1_000, seconds: 0.1, from: 1)
    #expect(!wakes.areHeard(now: 1_200_000_000))
    wakes.targetBegan()
    #expect(wakes.areHeard(now: 1_200_000_000))
  }
}
