import PerfData
import Testing

@testable import Recording

@Suite struct SliceTests {
  @Test func `slices are a fortieth of the span`() throws {
    var clock = SliceClock()
    var now: UInt64 = 5_000_000_000
    clock.begin(at: now, writeCalls: 1_000)
    var changes: [Bool] = []
    clock.noteWrites(7, at: now - 1)
    for _ in 0..<9 {
      now = clock.next
      clock.noteWrites(20, at: now)
      changes.append(clock.change(at: now))
    }
    // Off, on, off, on, …
    #expect(changes == (0..<9).map { $0 % 2 == 1 } && clock.isSlicing)
    clock.end(at: now, writeCalls: 3_916)
    let span = try #require(clock.spans.first)
    #expect(span.recordedNs == 5 * SliceClock.slice)
    #expect(span.toNs - span.fromNs == 4 * SliceClock.turn + SliceClock.slice)
    #expect(abs(span.weight - 32.2) < 1e-9)
    // Those before the span do not belong to it.
    #expect(span.writeCalls == 2_916 && span.recordedWriteCalls == 180)
    #expect(abs(span.writeWeight - 16.2) < 1e-9)
    #expect(!clock.isSlicing && clock.isRecording && clock.next == .max)
  }

  @Test func `meanwhile a span is told as if it went on`() throws {
    var clock = SliceClock()
    let start: UInt64 = 1_000_000_000
    #expect(clock.spans(now: start, until: start + 1).isEmpty)
    clock.begin(at: start, writeCalls: nil)
    for _ in 0..<8 { _ = clock.change(at: clock.next) }
    // Four turns of a fortieth each, and as much of what is to come.
    let now = start + 4 * SliceClock.turn
    let span = try #require(clock.spans(now: now, until: now + SliceClock.turn).first)
    #expect(span.fromNs == start && span.toNs == now + SliceClock.turn)
    #expect(abs(span.weight - 40) < 1e-6)
    // Nothing was ended by that.
    #expect(clock.isSlicing && clock.spans.isEmpty)
  }

  @Test func `a recording may end before its last slice began`() throws {
    var clock = SliceClock()
    clock.begin(at: 1_000_000_000, writeCalls: nil)
    var now = clock.next
    while !clock.change(at: now) { now = clock.next }
    clock.end(at: now - 1, writeCalls: nil)
    let span = try #require(clock.spans.first)
    #expect(span.recordedNs == SliceClock.slice && span.toNs == now - 1)
  }

  @Test func `calls that write weigh as all others where their number is not known or few`() {
    var span = CaptureEvent.Slices(fromNs: 0, toNs: 1_000, recordedNs: 50)
    #expect(span.writeWeight == 20)
    span.writeCalls = 1_000
    span.recordedWriteCalls = 99
    #expect(span.writeWeight == 20)
    span.recordedWriteCalls = 100
    #expect(span.writeWeight == 10)
    // The clock of one may be ahead of the other's by a few.
    span.writeCalls = 99
    #expect(span.writeWeight == 20)
  }

  @Test func `a program that switches often for long is found, and that it has calmed down`() {
    var rate = EventRate(EventRate.switches)
    func judge(_ perSecond: Double, seconds: Double, from start: Double) -> [Bool] {
      stride(from: 0, to: seconds, by: 0.1).map { time in
        rate.events += perSecond / 10
        rate.heard += 100_000_000
        rate.judge(now: UInt64((start + time + 0.1) * 1e9))
        return rate.isHigh
      }
    }
    #expect(judge(5_000, seconds: 10, from: 1).allSatisfy { !$0 })
    #expect(judge(60_000, seconds: 1, from: 20).last == true)
    #expect(judge(60_000, seconds: 3, from: 21).allSatisfy { $0 })
    #expect(judge(1_000, seconds: 0.5, from: 24).allSatisfy { $0 })
    #expect(judge(1_000, seconds: 3, from: 25).last == false)
    #expect(judge(60_000, seconds: 1, from: 30).last == true)
    // What comes after a pause is seen from its beginning, whatever came before: 0.3 s of 14,000 take 2,400 of 4,000.
    for pause in 0..<3 {
      let start = 31 + Double(pause) * 0.9
      #expect(judge(50, seconds: 0.6, from: start).allSatisfy { !$0 })
      #expect(judge(14_000, seconds: 0.3, from: start + 0.6).allSatisfy { !$0 })
    }
    #expect(judge(14_000, seconds: 1, from: 33.7).last == true)
    #expect(judge(50, seconds: 1, from: 34.7).allSatisfy { !$0 })
  }

  @Test func `what is heard in slices is judged by their time alone`() {
    var rate = EventRate(EventRate.systemCalls)
    func judge(_ inSlice: Double, at time: UInt64) {
      rate.events += inSlice
      rate.heard += 20_000_000
      rate.judge(now: time)
    }
    rate.judge(now: 1_000_000_000)
    // 4,000 in 20 ms are 200,000 a second: the first turn's 80,000 may come at once, the second's are too many.
    for turn in 1...3 {
      judge(4_000, at: 1_000_000_000 + UInt64(turn) * 400_000_000)
      #expect(abs(rate.perSecond - 200_000) < 1e-6)
      #expect(rate.isHigh == (turn >= 2))
    }
    for turn in 4...7 { judge(0, at: 1_000_000_000 + UInt64(turn) * 400_000_000) }
    #expect(!rate.isHigh)
  }

  @Test func `spans of sampling fit in a record, however often it began and ended`() throws {
    var sampled = SpanList<CaptureEvent.SampledSpan>()
    var slices = SpanList<CaptureEvent.Slices>()
    var lost = SpanList<CaptureEvent.LostSpan>()
    let hour: UInt64 = 3_600_000_000_000
    for index in UInt64(0)..<2_000 {
      let from = 40 * hour + index * 10_000_000_000 + index % 7 * 100_000_000
      for source in ["raw_syscalls:sys_exit", "sock:sock_send_length"] {
        sampled.append(
          .init(
            source: source, fromNs: from, toNs: from + 2_000_000_000, period: 251,
            count: 1_000_000, samples: 4_000,
            transfers: source.hasPrefix("sock:") ? [.init(pid: 7, count: 3, bytes: 50)] : nil))
      }
      slices.append(
        .init(
          fromNs: from, toNs: from + 2_000_000_000, recordedNs: 50_000_000, writeCalls: 100_000,
          recordedWriteCalls: 2_500))
      // Of four records of 2 s one was lost.
      lost.append(.init(from: from, to: from + 2_000_000_000, lost: 1, told: 3))
    }
    #expect(sampled.spans.count == 150 && slices.spans.count == 150)
    for source in ["raw_syscalls:sys_exit", "sock:sock_send_length"] {
      let spans = sampled.spans.filter { $0.source == source }
      #expect(spans.reduce(0) { $0 + ($1.count ?? 0) } == 2_000_000_000)
      #expect(spans.reduce(0) { $0 + ($1.samples ?? 0) } == 8_000_000)
      #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.toNs < $1.fromNs })
    }
    let transfers = sampled.spans.compactMap(\.transfers).joined()
    #expect(transfers.reduce(0) { $0 + $1.count } == 6_000 && transfers.allSatisfy { $0.pid == 7 })
    #expect(transfers.reduce(0) { $0 + $1.bytes } == 100_000)
    // All the time between slices was recorded: 2,000 spans of 2 s, of which 50 ms each were.
    let left = slices.spans.reduce(0) { $0 + ($1.toNs - $1.fromNs - $1.recordedNs) }
    #expect(left == 2_000 * 1_950_000_000)
    #expect(lost.spans.count == 50)
    #expect(lost.spans.reduce(0) { $0 + $1.records } == 2_000)
    #expect(lost.spans.reduce(0) { $0 + $1.untoldNs } == 2_000 * 500_000_000)
    var capture = CaptureEvent(
      mode: .wrap, scope: .system, privilege: "root", commandLine: ["x"], rootPid: 1,
      intervalNs: 1, unavailable: [], complete: true, lullVersion: "test")
    capture.sampled = sampled.spans
    capture.slices = slices.spans
    capture.lost = lost.spans
    #expect(try capture.encoded().count < 62_000)
  }

  @Test func `what thousands of processes transferred does not fit, and is told by samples`() throws
  {
    var list = SpanList<CaptureEvent.SampledSpan>()
    for (index, processes) in [2_000, 10].enumerated() {
      list.append(
        .init(
          source: "sock:sock_send_length", fromNs: UInt64(index) * 10, toNs: UInt64(index) * 10 + 9,
          period: 251, count: .max, samples: 4_000,
          transfers: (1...processes).map { .init(pid: $0, count: .max, bytes: .max) }))
    }
    #expect(list.spans.map { $0.transfers?.count } == [nil, 10])
    #expect(list.spans.map(\.count) == [.max, .max])
  }
}
