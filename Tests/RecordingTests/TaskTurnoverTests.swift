import Testing

@testable import Recording

@Suite struct TaskTurnoverTests {
  /// At which looks, 10 ms apart, a task's own clock or its own events are too much.
  private func looks(ended: Double = 0, begun: Double = 0, count: Int = 100) -> (
    early: Int?, many: Int?
  ) {
    var turnover = TaskTurnover()
    var found: (early: Int?, many: Int?) = (nil, nil)
    for look in 0..<count {
      turnover.ended = look > 0 ? ended : 0
      turnover.begun = look > 0 ? begun : 0
      let judged = turnover.judge(now: 1_000_000_000 + UInt64(look) * 10_000_000)
      if judged.endEarly, found.early == nil { found.early = look }
      if judged.areMany, found.many == nil { found.many = look }
    }
    return found
  }

  @Test func `a task that ends now and then does not count, several in a row do`() {
    #expect(looks(ended: 0.02) == (nil, nil))
    // One in 10 ms: four are allowed at once, and 0.02 in each look.
    #expect(looks(ended: 1).early == 5)
    #expect(looks(ended: 1).many == nil)
  }

  @Test func `a pool's threads do not count, thousands do`() {
    #expect(looks(begun: 64, count: 2).many == nil)
    #expect(looks(begun: 1).many == nil)
    // 1,100 a second, of which 100 are allowed, and a hundred at once.
    #expect(looks(begun: 11).many == 10)
  }

  @Test func `CPU-wide events take over from threads that come in great numbers`() {
    func due(machine switchesPerSecond: Double, can: Bool = true) -> Bool {
      var takeover = CPUWideTakeover(isPossible: can)
      var isDue = false
      for look in 0..<3 where !isDue {
        let now = UInt64(look + 1) * 10_000_000
        isDue = takeover.isDue(threads: 1000, now: now) {
          UInt64(Double(now) / 1e9 * switchesPerSecond)
        }
      }
      return isDue
    }
    #expect(due(machine: 20_000))
    #expect(!due(machine: 20_000, can: false))
    // By then the events of the CPUs would take as long as those of the threads.
    #expect(!due(machine: 600_000))
  }
}
