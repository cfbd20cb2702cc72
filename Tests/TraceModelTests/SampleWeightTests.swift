import PerfData
import Testing

@testable import TraceModel

struct SampleWeightTests {
  private let spans = [
    CaptureEvent.Slices(fromNs: 1_000, toNs: 2_937, recordedNs: 100),
    CaptureEvent.Slices(fromNs: 5_000, toNs: 6_000, recordedNs: 500),
  ]

  @Test func `the weights of a span's events add up to what there were`() {
    var weights = SampleWeights(spans)
    let first = (0..<100).map { weights.weight(1, at: 1_000 + $0) }
    #expect(abs(Int(first.reduce(0, +)) - 1_937) <= 1)
    #expect(first.allSatisfy { $0 == 19 || $0 == 20 })
    #expect(weights.weight(251, at: 5_100) == 502)
    #expect(weights.weight(7, at: 999) == 7 && weights.weight(7, at: 6_000) == 7)
  }

  @Test func `a wake between two slices is of the kind of its thread's last one`() {
    func wakeup(_ time: UInt64, _ tid: Int32, _ context: Wakeup.Context) -> Wakeup {
      Wakeup(
        time: Timestamp(nanoseconds: time), tid: tid, pid: 1, waker: 9, wakerPid: 9,
        context: context, waited: nil, cpuWasIdle: context == .hardInterrupt)
    }
    var log: WakeupLog = [
      wakeup(900, 1, .softInterrupt), wakeup(1_100, 1, .hardInterrupt), wakeup(1_200, 2, .unknown),
      wakeup(1_300, 1, .unknown), wakeup(4_000, 1, .unknown),
    ]
    SampleWeights(spans).complete(&log)
    let wakeups = Array(log)
    let contexts: [Wakeup.Context] = [
      .softInterrupt, .hardInterrupt, .unknown, .hardInterrupt, .unknown,
    ]
    #expect(wakeups.map(\.context) == contexts)
    #expect(wakeups[3].cpuWasIdle && !wakeups[4].cpuWasIdle)
  }
}
