import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

struct TransferTotalsTests {
  private func transfer(
    _ time: UInt64, pid: Int32 = 1, _ direction: Transfer.Direction = .send, bytes: UInt64 = 100,
    weight: UInt64 = 1, family: Int = 2
  ) -> Transfer {
    Transfer(
      time: Timestamp(nanoseconds: time), pid: pid, tid: pid, direction: direction, bytes: bytes,
      weight: weight, socket: 1, family: family, transportProtocol: 6, isSample: weight > 2)
  }

  private func span(
    _ source: String, _ from: UInt64, _ to: UInt64,
    _ transfers: [CaptureEvent.ProcessTransfers]?
  ) -> CaptureEvent.SampledSpan {
    .init(
      source: source, fromNs: from, toNs: to, period: 251, count: 1_000, samples: 4,
      transfers: transfers)
  }

  private func capture(_ spans: [CaptureEvent.SampledSpan]) -> CaptureEvent {
    CaptureEvent(mode: .wrap, scope: .system, rootPid: 1, sampled: spans)
  }

  @Test func `where transfers were counted the count holds, elsewhere what was recorded`() {
    let counted = CountedSpan.all(
      of: capture([
        span("sock:sock_recv_length", 500, 600, nil),
        span("sock:sock_send_length", 300, 400, [.init(pid: 1, count: 6, bytes: 61)]),
        span(
          "sock:sock_send_length", 100, 200,
          [.init(pid: 1, count: 1_003, bytes: 50_021), .init(pid: 2, count: 3, bytes: 9)]),
      ]))
    let totals = TransferTotals.byProcess(
      [
        transfer(99), transfer(100, weight: 251), transfer(199, weight: 251), transfer(200),
        // One that was recorded by itself, where two spans were made one; and of the other direction nothing was
        // counted.
        transfer(160),
        transfer(150, .receive, bytes: 7), transfer(550, .receive, bytes: 7, weight: 251),
        transfer(250, bytes: 5, weight: 2), transfer(250, bytes: 5, family: 1),
        transfer(399, pid: 3, weight: 251),
      ], counted: counted)
    var first = TransferTotals()
    (first.sends, first.bytesSent) = (2 + 1_003 + 1 + 2 + 6, 200 + 50_021 + 100 + 10 + 61)
    (first.receives, first.bytesReceived) = (252, 7 * 252)
    #expect(totals[1] == first)
    // One that made too few to be in any sample, and one whose sample is of another's time.
    var second = TransferTotals()
    (second.sends, second.bytesSent) = (3, 9)
    #expect(totals[2] == second && totals[3] == nil)
  }

  @Test func `of a span that is not looked at as a whole the samples tell`() {
    var counted = CountedSpan.all(
      of: capture([span("sock:sock_send_length", 100, 200, [.init(pid: 1, count: 9, bytes: 90)])]))
    counted[0].partly = [1]
    let totals = TransferTotals.byProcess([transfer(150, weight: 251)], counted: counted)
    #expect(totals[1]?.sends == 251 && totals[1]?.bytesSent == 25_100)
  }

  @Test func `a part of a recording, or of a process, has what was counted in it alone`() throws {
    func totals(_ window: TraceWindow?, execAt exec: UInt64?) throws -> TransferTotals? {
      var builder = TraceBuilder()
      var capture = capture([
        span(
          "sock:sock_send_length", 2 * second, 4 * second, [.init(pid: 100, count: 70, bytes: 7)]),
        span(
          "sock:sock_send_length", 6 * second, 8 * second, [.init(pid: 100, count: 50, bytes: 5)]),
      ])
      (capture.rootPid, capture.complete) = (100, true)
      try builder.synthetic(capture, time: second, pid: 100)
      try builder.process(time: second, pid: 100)
      builder.comm(time: second, pid: 100, tid: 100, name: "program")
      if let exec { builder.comm(time: exec, pid: 100, tid: 100, name: "other", isExec: true) }
      for moment in UInt64(1)..<10 {
        builder.send(
          time: moment * second + 1, tid: 100, socket: 1, bytes: 1_000,
          period: [2, 3, 6, 7].contains(moment) ? 251 : 1)
      }
      builder.exit(time: 11 * second, pid: 100, tid: 100)
      let trace = try builder.withFile {
        try Trace.load(path: $0, options: TraceOptions(window: window))
      }
      return trace.transferTotals[100]
    }
    // The recording begins with its first second; what is in a counted span does not count by itself.
    let whole = try totals(nil, execAt: nil)
    #expect(whole?.sends == 120 + 5 && whole?.bytesSent == 12 + 5_000)
    let late = try totals(TraceWindow(from: 2), execAt: nil)
    // A sample of a span that is cut stands for a fourth of a thousand.
    #expect(late?.sends == 50 + 250 + 4 && late?.bytesSent == 5 + 254_000)
    let became = try totals(nil, execAt: 3 * second)
    #expect(became == late)
    let became4 = try totals(nil, execAt: 5 * second)
    #expect(became4?.sends == 50 + 3 && became4?.bytesSent == 5 + 3_000)
  }
}
