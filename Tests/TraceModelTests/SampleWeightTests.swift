import PerfData
import Quantities
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

  @Test func `samples of a span whose events were counted add up to the count`() {
    // Four threads that each kept 200 of 251 to themselves: 3 samples of 1,553 events.
    let span = CaptureEvent.SampledSpan(
      source: "sock:sock_send_length", fromNs: 100, toNs: 200, period: 251, count: 1_553,
      samples: 3)
    var weights = SampleWeights(sampled: [span])
    func weight(_ own: UInt64, _ time: UInt64, _ source: String = "sock:sock_send_length") -> UInt64
    {
      weights.weight(ofSample: own, of: source, at: time)
    }
    let sum = weight(251, 100) + weight(251, 150) + weight(251, 199)
    #expect((1_552...1_553).contains(sum))
    // What was recorded whole, before, after, or of another source, is what it is.
    #expect(weight(1, 150) == 1 && weight(251, 200) == 251)
    #expect(weight(251, 150, "sock:sock_recv_length") == 251)
    // A trace that tells no count.
    #expect(CaptureEvent.SampledSpan(source: "", fromNs: 0, toNs: 1, period: 7).weight == 7)
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

  @Test func `a wait without a stack was for what its thread's last known one was for`() {
    func wakeup(_ time: UInt64, _ tid: Int32, _ waited: WaitCause?) -> Wakeup {
      Wakeup(
        time: Timestamp(nanoseconds: time), tid: tid, pid: 1, waker: 0, wakerPid: 0,
        context: .hardInterrupt, waited: waited, cpuWasIdle: true)
    }
    let span = CaptureEvent.SampledSpan(
      source: "sched:sched_switch", fromNs: 1_000, toNs: 2_000, period: 251)
    var log: WakeupLog = [
      wakeup(900, 1, .sync), wakeup(950, 1, .unknown), wakeup(1_000, 1, .unknown),
      wakeup(1_100, 2, .unknown), wakeup(1_200, 1, .eventWait), wakeup(1_300, 1, .unknown),
      wakeup(1_400, 1, nil), wakeup(2_000, 1, .unknown),
    ]
    let receives = CaptureEvent.SampledSpan(
      source: "sock:sock_recv_length", fromNs: 0, toNs: 9_000, period: 251)
    SampleWeights(sampled: [receives, span]).complete(&log)
    let waits: [WaitCause?] = [
      .sync, .unknown, .sync, .unknown, .eventWait, .eventWait, nil, .unknown,
    ]
    #expect(Array(log).map(\.waited) == waits)
  }
}
