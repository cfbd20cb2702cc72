import PerfData
import Testing

@testable import Recording

@Suite struct SliceTests {
  @Test func `slices are a twentieth of the span`() throws {
    var clock = SliceClock()
    var now: UInt64 = 5_000_000_000
    clock.begin(at: now)
    var changes: [Bool] = []
    for _ in 0..<9 {
      now = clock.next
      changes.append(clock.change(at: now))
    }
    // Off, on, off, on, …
    #expect(changes == (0..<9).map { $0 % 2 == 1 } && clock.isSlicing)
    clock.end(at: now)
    let span = try #require(clock.spans.first)
    #expect(span.recordedNs == 5 * SliceClock.slice)
    #expect(span.toNs - span.fromNs == 4 * SliceClock.turn + SliceClock.slice)
    #expect(abs(span.weight - 16.2) < 1e-9)
    #expect(!clock.isSlicing && clock.isRecording && clock.next == .max)
  }

  @Test func `a program that switches often for long is found, and that it has calmed down`() {
    var rate = SwitchRate()
    func judge(_ perSecond: Double, seconds: Double, from start: Double, isHigh: Bool)
      -> [SwitchRate.Verdict]
    {
      stride(from: 0, to: seconds, by: 0.1).map { time in
        rate.records += perSecond / 10
        return rate.judge(now: UInt64((start + time + 0.1) * 1e9), isHigh: isHigh)
      }
    }
    #expect(judge(5_000, seconds: 10, from: 1, isHigh: false).allSatisfy { $0 == .undecided })
    let busy = judge(60_000, seconds: 1, from: 20, isHigh: false)
    #expect(busy.contains(.high))
    #expect(judge(60_000, seconds: 3, from: 21, isHigh: true).allSatisfy { $0 == .undecided })
    #expect(judge(100, seconds: 3, from: 24, isHigh: true).last == .calm)
  }
}
