import Signals
import Testing

@testable import Rules

@Suite struct ExposureTests {
  /// Fifty events: Garwood's bounds are 37.11 and 65.92.
  @Test func `a rate is what was seen by the time it was looked at, however short`() {
    let fifty = EventSum(count: 50)
    let minute = Exposure(seconds: 2).perMinute(fifty)
    #expect(minute.value == 1500 && !minute.isPerRun)
    #expect(abs(minute.bounds.low - 37.11 * 30) < 0.5 && abs(minute.bounds.high - 65.92 * 30) < 0.5)
    #expect(Exposure(seconds: 25).perSecond(fifty).value == 2)
    #expect(Exposure(seconds: 7200).perDay(EventSum(count: 2)).value == 24)
    #expect(Exposure(seconds: 4).percent(EventSum(sizes: [0.5, 0.5], unseen: 0)).value == 25)
  }

  /// No event in so many seconds: the upper bound is 3.689 events.
  @Test func `no event in a short time shows no low rate`() {
    let none = Exposure(seconds: 0.3).perMinute(EventSum(count: 0))
    #expect(none.value == 0 && none.bounds.low == 0)
    #expect(abs(none.bounds.high - 3.689 * 200) < 0.2)
  }

  /// Garwood's lower bounds are 0.0253 of one event and 0.2422 of two.
  @Test func `a single event may be the only one of its minute`() {
    let once = Exposure(seconds: 0.05).perMinute(EventSum(count: 1))
    #expect(once.value == 1200 && abs(once.bounds.low - 0.0253) < 1e-3 && once.bounds.high > 1200)
    let twice = Exposure(seconds: 0.05).perMinute(EventSum(count: 2))
    #expect(abs(twice.bounds.low - 0.2422 * 1200) < 1)
    #expect(abs(Exposure(seconds: 120).perMinute(EventSum(count: 1)).bounds.low - 0.01265) < 1e-3)
    #expect(abs(Exposure(seconds: 0.5).perSecond(EventSum(count: 1)).bounds.low - 0.0253) < 1e-3)
  }

  /// Fifty of 12,800 were recorded, each for 256: the bounds are those of the fifty.
  @Test func `of what was recorded as one of many the bounds are those of what was recorded`() {
    let sampled = EventSum(count: 12_800, recorded: 50)
    let minute = Exposure(seconds: 60).perMinute(sampled)
    #expect(minute.value == 12_800)
    #expect(abs(minute.bounds.low - 37.11 * 256) < 3 && abs(minute.bounds.high - 65.92 * 256) < 3)
    #expect(EventSum(count: 50, recorded: 50).bounds == EventSum(count: 50).bounds)
    var run = SignalSet(
      durationSeconds: 20, mainThread: MainThreadSignal(hasEventLoop: false, turns: 1))
    run.isWholeRun = true
    let inRun = Exposure(run).perMinute(sampled)
    #expect(inRun.isPerRun && inRun.value == 12_800 && inRun.bounds == minute.bounds)
  }

  @Test func `a tool's run is its own whole exposure`() {
    var run = SignalSet(
      durationSeconds: 20, mainThread: MainThreadSignal(hasEventLoop: false, turns: 1))
    run.isWholeRun = true
    let short = Exposure(run).perMinute(EventSum(count: 50))
    #expect(short == Rate(value: 50, bounds: .exactly(50), isPerRun: true))
    run.durationSeconds = 120
    let long = Exposure(run).perMinute(EventSum(count: 50))
    #expect(long == Rate(value: 25, bounds: .exactly(25), isPerRun: false))
  }

  @Test(arguments: [(true, true), (false, false)])
  func `a part of a run, or of a program with an event loop, is no whole`(
    isWholeRun: Bool, hasEventLoop: Bool
  ) {
    var set = SignalSet(
      durationSeconds: 20, mainThread: MainThreadSignal(hasEventLoop: hasEventLoop, turns: 1))
    set.isWholeRun = isWholeRun
    let rate = Exposure(set).perMinute(EventSum(count: 50))
    #expect(rate.value == 150 && !rate.isPerRun && rate.bounds.high > 150)
  }
}
