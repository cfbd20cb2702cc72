import PerfData
import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// Process 100 from 1 s on.
private func measure(
  sampled: [CaptureEvent.SampledSpan] = [], _ build: (inout TraceBuilder) throws -> Void
) throws -> SignalSet {
  var builder = TraceBuilder()
  var capture = CaptureEvent(
    mode: .wrap, scope: .system, privilege: "root", commandLine: ["./server"], rootPid: 100,
    intervalNs: 100_000_000, unavailable: [], complete: true, lullVersion: "test")
  capture.sampled = sampled
  try builder.synthetic(capture, time: second, pid: 100)
  try builder.process(time: second, pid: 100)
  builder.comm(time: second, pid: 100, tid: 100, name: "server")
  try build(&builder)
  let trace = try builder.withFile { try Trace.load(path: $0) }
  return try Measurement.measure(trace)
}

/// What a server under load must not be blamed for.
struct BusyServerTests {
  private static let span = CaptureEvent.SampledSpan(
    source: "sock:sock_recv_length", fromNs: second, toNs: 10 * second, period: 251)

  @Test(arguments: [true, false])
  func `wakes whose receives were not all recorded are not taken for timers'`(isSampled: Bool)
    throws
  {
    let signals = try measure(sampled: isSampled ? [Self.span] : []) { builder in
      builder.switchIn(time: second, 100)
      for tick in UInt64(1)...40 {
        let begin = second + (tick * 50 - 49) * millisecond
        builder.switchOut(time: begin, 100)
        builder.waking(
          time: begin + 49 * millisecond, by: 0, of: 100, context: .hardInterrupt)
        builder.switchIn(time: begin + 49 * millisecond, 100)
      }
      builder.exit(time: second + 2001 * millisecond, pid: 100, tid: 100)
    }
    #expect(signals.wakeups?.byCause == [isSampled ? .unknown : .timer: 40])
    #expect(signals.wakeups?.timers.isEmpty == isSampled)
  }

  @Test(arguments: [true, false])
  func `answers on an accepted connection are not chatter, messages in a row are`(
    isSetUpSeen: Bool
  ) throws {
    let signals = try measure { builder in
      builder.socketState(
        time: second, tid: 100, socket: 0x99, from: 7, to: 10, localPort: 80, remotePort: 0)
      // Accepted: from SYN received to established, which may come while another program has the CPU.
      if isSetUpSeen {
        builder.socketState(
          time: second + 1, tid: 0, socket: 0xaa, from: 3, to: 1, localPort: 80, remotePort: 50_000)
      }
      for index in 0..<10 {
        let time = second + UInt64(10 + 20 * index) * millisecond
        builder.receive(time: time, tid: 100, socket: 0xaa, bytes: 90)
        builder.send(time: time + millisecond, tid: 100, socket: 0xaa, bytes: 120)
      }
      builder.socketState(time: second + 2, tid: 100, socket: 0xbb, from: 7, to: 2)
      builder.socketState(time: second + 3, tid: 0, socket: 0xbb, from: 2, to: 1)
      for index in 0..<10 {
        let time = second + UInt64(500 + 20 * index) * millisecond
        builder.send(time: time, tid: 100, socket: 0xbb, bytes: 120)
        builder.receive(time: time + millisecond, tid: 100, socket: 0xbb, bytes: 90)
      }
      builder.exit(time: 2 * second, pid: 100, tid: 100)
    }
    let rows = try #require(signals.network).exchange.connections
    #expect(rows.map(\.followedSmallSends).sorted() == [0, 9])
  }

  @Test func `a connection first seen as it ends is that of what went through it before`() throws {
    let signals = try measure { builder in
      builder.socketState(
        time: second, tid: 100, socket: 0x99, from: 7, to: 10, local: [127, 0, 0, 1],
        localPort: 80, remote: [0, 0, 0, 0], remotePort: 0)
      builder.receive(time: second + 10 * millisecond, tid: 100, socket: 0xaa, bytes: 90)
      builder.send(time: second + 12 * millisecond, tid: 100, socket: 0xaa, bytes: 120)
      // The other side closes: CLOSE_WAIT.
      builder.socketState(
        time: second + 20 * millisecond, tid: 0, socket: 0xaa, from: 1, to: 8,
        local: [127, 0, 0, 1], localPort: 80, remote: [127, 0, 0, 1], remotePort: 50_000)
      builder.exit(time: 2 * second, pid: 100, tid: 100)
    }
    let network = try #require(signals.network)
    #expect(network.connections.map(\.remote) == ["127.0.0.1:50000"])
    #expect(network.connections.first?.isServerSide == true)
    #expect(network.connections.first?.bytesSent == 120)
    // It did not leave the machine, so no radio was on for it.
    #expect(network.bursts.isEmpty)
  }

  @Test func `what is read after a reset belongs to the connection it came by`() throws {
    let signals = try measure { builder in
      builder.socketState(
        time: second + 1, tid: 0, socket: 0xaa, from: 3, to: 1, localPort: 80, remotePort: 50_000)
      builder.receive(time: second + 10, tid: 100, socket: 0xaa, bytes: 90)
      builder.socketState(
        time: second + 20, tid: 0, socket: 0xaa, from: 1, to: 7, localPort: 80, remotePort: 50_000)
      builder.receive(time: second + 30, tid: 100, socket: 0xaa, bytes: 10)
      // Seconds later the address may be anybody's.
      builder.receive(time: 4 * second, tid: 100, socket: 0xaa, bytes: 7)
      builder.exit(time: 5 * second, pid: 100, tid: 100)
    }
    let network = try #require(signals.network)
    #expect(network.connections.map(\.bytesReceived) == [100])
    #expect(network.bytesReceived == 107)
  }
}
