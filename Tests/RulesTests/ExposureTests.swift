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

  /// A hundred waits of 2 ms in a minute, of which a fifth was recorded. Where the sum was estimated for all, the
  /// bounds are Garwood's of the twenty, each of which stands for 10 ms: 122.2 to 308.9. Where it is of the twenty
  /// alone, that is the least, as if the rest had been something else, and the most is five times theirs.
  @Test func `of waits whose kind was recorded for some, the bounds are those of the sampling`() {
    func rate(_ places: [Blocking], _ seconds: Double, isOfRecorded: Bool) -> Rate {
      Exposure(seconds: 60).perMinute(
        MainThreadWaits.sum(
          of: places, seconds: seconds,
          WaitSampling(recordedShare: 0.2, isOfRecorded: isOfRecorded)))
    }
    let all = rate(
      [Blocking(cause: .lock, seconds: 0.2, count: 100)], 0.2, isOfRecorded: false)
    #expect(abs(all.value - 200) < 1e-9)
    #expect(abs(all.bounds.low - 122.17) < 0.1 && abs(all.bounds.high - 308.88) < 0.1)
    let some = rate(
      [Blocking(cause: .lock, seconds: 0.04, count: 20)], 0.04, isOfRecorded: true)
    #expect(abs(some.value - 40) < 1e-9)
    #expect(abs(some.bounds.low - 24.43) < 0.1 && abs(some.bounds.high - 308.88) < 0.1)
  }

  /// Half of 20 MB is known exactly; the other half are fifty writes, each of which stands for 0.2 MB: Garwood's bounds
  /// of fifty are 37.11 and 65.92.
  @Test func `bytes of writes of which some only were recorded have the bounds of the sampling`()
    throws
  {
    var disk = DiskSignal(writes: 100, bytesWritten: 20_000_000, writeBursts: 1)
    var sampled = SampledBytes()
    for _ in 0..<50 { sampled.add(200_000) }
    disk.sampledBytes = sampled
    var run = SignalSet(
      durationSeconds: 20, mainThread: MainThreadSignal(hasEventLoop: false, turns: 1), disk: disk)
    run.isWholeRun = true
    let day = 20.0 * 24
    let finding = try finding(of: run)
    #expect(abs(finding.value - day) < 1e-9)
    #expect(abs(finding.bounds.low - (10 + 37.11 * 0.2) * 24) < 0.2)
    #expect(abs(finding.bounds.high - (10 + 65.92 * 0.2) * 24) < 0.2)
    run.disk?.sampledBytes = nil
    #expect(try self.finding(of: run).bounds == .exactly(day))
  }

  private func finding(of set: SignalSet) throws -> RuleFinding {
    let scale = RuleScale(good: 1, limit: nil)
    guard case .measured(let finding) = try BytesWrittenRule.evaluate(set, scale) else {
      throw Unmeasured()
    }
    return finding
  }

  private struct Unmeasured: Error {}

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

  /// curl asks for twenty pages in 49 ms: it woke 24 times in the only second in which it ran.
  @Test func `what is over within a second did no more in any`() {
    var run = SignalSet(durationSeconds: 0.049, mainThread: MainThreadSignal(turns: 20))
    run.isWholeRun = true
    let whole = Exposure(run).perSecond(EventSum(count: 24))
    #expect(whole == Rate(value: 24, bounds: .exactly(24), isPerRun: true))
    // An app's minute is not over with it.
    #expect(abs(Exposure(run).perMinute(EventSum(count: 24)).value - 24 * 60 / 0.049) < 1e-6)
    run.durationSeconds = 1.5
    #expect(Exposure(run).perSecond(EventSum(count: 24)).value == 16)
    (run.isWholeRun, run.durationSeconds) = (false, 0.049)
    #expect(Exposure(run).perSecond(EventSum(count: 24)).value > 400)
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

/// A tool's run of half a second, in which it waited 200 ms for a lock.
@Suite struct RunUnitTests {
  private static var tool: SignalSet {
    let main = MainThreadSignal(
      hasEventLoop: false, turns: 1, blockedSeconds: 0.2, blockedByCause: [.lock: 0.2],
      blockings: [Blocking(cause: .lock, seconds: 0.2, count: 1)])
    var set = SignalSet(durationSeconds: 0.5, mainThread: main)
    set.isWholeRun = true
    return set
  }

  // 200 ms/min was said of 200 ms in half a second.
  @Test func `what is told without a verdict has its unit by the run too`() throws {
    let audits = Evaluator.evaluate(Self.tool).audits
    let waits = try #require(audits.first { $0.id == "main-thread-lock-waits" })
    #expect(waits.status == .notApplicable && waits.unit == "ms/run")
    #expect(abs((waits.value ?? 0) - 200) < 1e-9)
    var long = Self.tool
    long.durationSeconds = 120
    let minute = Evaluator.evaluate(long).audits.first { $0.id == "main-thread-lock-waits" }
    #expect(minute?.unit == "ms/min" && abs((minute?.value ?? 0) - 100) < 1e-9)
  }
}
