import Testing

@testable import Signals

@Suite struct WakeupReplayTests {
  /// Four timers of 100 ms, 3 ms apart.
  private static func four(mayWait: (Int) -> Bool) -> [[(time: Double, mayWait: Bool)]] {
    (0..<4).map { phase in
      let start = Double(phase) * 0.003
      let may = mayWait(phase)
      return (0..<50).map { (time: start + Double($0) * 0.1, mayWait: may) }
    }
  }

  /// Windows of 10 ms from 0, 3, 6 and 9 ms all hold 10 ms.
  @Test func `four timers that could be one`() {
    let replay = WakeupReplay.replay(Self.four { _ in true }, others: [])
    #expect(replay.timerWakeups == 200)
    // The first expiry of each thread has no interval yet, so no tolerance.
    #expect(replay.remaining == 4 + 49)
    #expect(replay.avoidable == 147)
  }

  @Test func `what somebody waits for has no tolerance`() {
    // Only the first one's may come later, to the next one's time.
    let replay = WakeupReplay.replay(Self.four { $0 == 0 }, others: [])
    #expect(replay.remaining == 4 + 3 * 49)
  }

  @Test func `a single timer shares with nobody`() {
    let timer = (0..<100).map { (time: Double($0) * 0.05, mayWait: true) }
    let replay = WakeupReplay.replay([timer], others: [])
    #expect(replay.remaining == 100 && abs(replay.medianIdleGapSeconds - 0.05) < 1e-9)
  }

  @Test func `another interrupt within the tolerance costs nothing more`() {
    let timed = [WakeupReplay.Timed(time: 1, slack: 0.1), .init(time: 2, slack: 0.1)]
    func remaining(_ times: [Double], since: Double) -> Int {
      WakeupReplay.remaining(timed, others: times.map { .init(time: $0, since: since) })
    }
    #expect(remaining([1.05], since: 0) == 1)
    #expect(remaining([0.99, 2.11], since: 0) == 2)
  }

  @Test func `what comes of the work after a timer would not have come without it`() {
    let timed = [WakeupReplay.Timed(time: 1, slack: 0.1), .init(time: 1.95, slack: 0.1)]
    // The answer to what was sent at 1.01, and one that was asked for long before.
    let others: [WakeupReplay.Other] = [
      .init(time: 1.05, since: 1.01), .init(time: 2, since: 1.01),
    ]
    #expect(WakeupReplay.remaining(timed, others: others) == 1)
  }

  /// The greedy choice against every choice of times among the deadlines, which hold an optimum.
  @Test func `the number is the least that serves all`() {
    let timed: [WakeupReplay.Timed] = [
      .init(time: 0, slack: 3), .init(time: 1, slack: 5), .init(time: 2, slack: 0.5),
      .init(time: 4, slack: 1), .init(time: 4.5, slack: 4), .init(time: 7, slack: 1),
      .init(time: 8.5, slack: 0),
    ]
    let points = timed.map { $0.time + $0.slack }
    var least = points.count
    for choice in 0..<(1 << points.count) {
      let chosen = points.indices.filter { choice & (1 << $0) != 0 }.map { points[$0] }
      let serves = timed.allSatisfy { timer in
        chosen.contains { $0 >= timer.time && $0 <= timer.time + timer.slack }
      }
      if serves { least = min(least, chosen.count) }
    }
    #expect(WakeupReplay.remaining(timed, others: []) == least)
  }
}
