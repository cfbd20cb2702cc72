import Quantities
import Testing

@testable import Signals

struct TimerTrainsTests {
  /// Times of timers from their starts on, each late by up to 0.4 ms.
  private func series(
    _ timers: [(start: Double, period: Double)], until end: Double, seed: UInt64 = 7
  ) -> [Double] {
    var state = seed
    var times: [Double] = []
    for timer in timers {
      var time = timer.start
      while time < end {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        times.append(time + Double(state >> 40) / Double(1 << 24) * 0.0004)
        time += timer.period
      }
    }
    return times.sorted()
  }

  private func periods(_ times: [Double]) -> [Double] {
    TimerTrains.split(times).compactMap { train in
      Periodicity.detect(train.map { times[$0] })?.periodSeconds
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `three timers of one descriptor are told apart`(seed: UInt64) {
    let timers: [(start: Double, period: Double)] = [(0.013, 0.1), (0.041, 0.25), (0.377, 1.0)]
    let found = periods(series(timers, until: 20, seed: seed)).sorted()
    #expect(found.count == 3)
    for (found, timer) in zip(found, timers) {
      #expect(abs(found - timer.period) < 0.001 * timer.period + 0.0001, "\(found)")
    }
  }

  /// As in a server whose handlers wait as well.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a timer is found among as many waits that follow no rhythm`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var other = 0.0
    var times = series([(0.02, 0.05)], until: 8, seed: seed)
    let count = times.count
    while other < 8 {
      other += 0.01 + Double(random.next() >> 40) / Double(1 << 24) * 0.08
      times.append(other)
    }
    let found = TimerTrains.split(times.sorted())
    #expect(found.count == 1 && found.allSatisfy { abs($0.count - count) < count / 10 })
  }

  @Test func `what was late once and stays so is one timer still`() {
    let late = 0.02 + 60 * 0.05 + 0.008
    let times =
      series([(0.02, 0.05)], until: late - 0.03) + series([(late, 0.05)], until: 8)
      + series([(0.004, 0.31)], until: 8)
    let found = TimerTrains.split(times.sorted())
    #expect(found.map(\.count).max() == 160, "\(found.map(\.count))")
  }

  /// As of loops that poll while a request lasts: each sleeps 100 ms again and again, from where it began.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `loops that poll for a while are one timer each, and one where they follow each other`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let first = series([(0.302, 0.1003)], until: 1.1, seed: seed)
    let second = series([(1.636, 0.1002)], until: 3.2, seed: seed)
    let beside = series([(2.039, 0.1003)], until: 2.9, seed: seed)
    let others = (0..<20).map { _ in Double(random.next() >> 40) / Double(1 << 24) * 6 }
    let times = (first + second + beside + others).sorted()
    let found = TimerTrains.split(times)
    #expect(found.count == 2, "\(found.map(\.count))")
    let counts = found.map(\.count)
    #expect(abs((counts.first ?? 0) - first.count - second.count) <= 2, "\(counts)")
    #expect(abs((counts.last ?? 0) - beside.count) <= 2, "\(counts)")
  }

  @Test func `a timer alone is one train`() {
    #expect(periods(series([(0, 0.02)], until: 4)).count == 1)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `random times are no trains`(seed: UInt64) {
    var state = seed &+ 99
    var time = 0.0
    let times = (0..<120).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      time += 0.01 + Double(state >> 40) / Double(1 << 24) * 0.3
      return time
    }
    #expect(periods(times).isEmpty)
  }

  /// A series so dense that a train's next time is always at hand: following it came to no end.
  @Test(arguments: [0.0001, 0.0008, 0.0016, 0.003])
  func `times that lie close together are no trains`(gap: Double) {
    var random = SeededGenerator(seed: 5)
    var time = 0.0
    let times = (0..<4_000).map { _ in
      time += gap * (0.5 + Double(random.next() >> 40) / Double(1 << 24))
      return time
    }
    #expect(periods(times).isEmpty)
  }
}
