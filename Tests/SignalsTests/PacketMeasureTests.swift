import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000
/// What the builder's traces say the time of day was at their time of one second.
private let wall: UInt64 = 1_700_000_000_000_000_000

/// One connection: asked for 10 ms after the start, 100 bytes out, 2000 back, closed at 500 ms.
private func trace(_ more: (inout TraceBuilder) throws -> Void = { _ in }) throws -> Trace {
  var builder = TraceBuilder()
  try builder.capture(time: second, rootPid: 100)
  try builder.process(time: second, pid: 100)
  builder.comm(time: second, pid: 100, tid: 100, name: "program")
  let start = second + 10 * millisecond
  builder.socketState(time: start, tid: 100, socket: 0xff, from: 7, to: 2)
  builder.socketState(time: start + 20 * millisecond, tid: 0, socket: 0xff, from: 2, to: 1)
  builder.send(time: start + 30 * millisecond, tid: 100, socket: 0xff, bytes: 100)
  builder.receive(time: start + 70 * millisecond, tid: 100, socket: 0xff, bytes: 2000)
  builder.socketState(time: second + 500 * millisecond, tid: 100, socket: 0xff, from: 1, to: 7)
  try more(&builder)
  builder.exit(time: second + 2000 * millisecond, pid: 100, tid: 100)
  return try builder.withFile { try Trace.load(path: $0) }
}

/// The connection's packets; `skew` is what the capturing clock is ahead.
private func capture(skew: Int64 = 0, port: UInt16 = 40_000) -> CaptureBuilder {
  var builder = CaptureBuilder()
  func at(_ milliseconds: UInt64) -> UInt64 {
    UInt64(Int64(wall + milliseconds * millisecond) + skew)
  }
  func out(_ time: UInt64, flags: UInt8 = 16, _ sequence: UInt32, _ payload: Int = 0) {
    builder.packet(
      time: at(time),
      WireFrame.segment(port, 443, flags: flags, sequence: sequence, payload: payload))
  }
  func back(_ time: UInt64, flags: UInt8 = 16, _ sequence: UInt32, _ payload: Int = 0) {
    builder.packet(
      time: at(time),
      WireFrame.segment(
        from: WireFrame.remote, 443, to: WireFrame.local, port, flags: flags, sequence: sequence,
        payload: payload))
  }
  out(10, flags: 2, 1000)
  back(30, flags: 18, 5000)
  out(30, 1001)
  out(40, 1001, 100)
  // Not acknowledged in time, sent again.
  out(60, 1001, 100)
  back(75, 5001, 1000)
  back(76, 6001, 1000)
  out(77, 1101)
  out(500, flags: 17, 1101)
  back(520, flags: 17, 7001)
  out(521, 1102)
  // Another program's.
  builder.packet(time: at(100), WireFrame.segment(50_000, 80, payload: 700))
  return builder
}

struct PacketMeasureTests {
  @Test(arguments: [0, 3_000_000_000, -250_000_000])
  func `packets take the place of the modelled transfers, whatever the capture's clock`(skew: Int64)
    throws
  {
    var merged = try trace()
    try CaptureBuilder.withFile(capture(skew: skew).build()) { try merged.merge(capturePath: $0) }
    let network = try #require(try Measurement.measure(merged).network)
    let captured = try #require(network.captured)
    #expect(captured.packets == 12 && captured.matched == 11 && captured.ofOthers == 1)
    #expect(captured.retransmissions == 1 && captured.connections == 1)
    #expect(abs((captured.clockOffsetSeconds ?? 99) - Double(skew) / 1e9) < 1e-6)
    // The program's own bytes stay what its calls say; headers are the 7 and 4 packets' own.
    #expect(network.bytesSent == 100 && network.bytesReceived == 2000)
    #expect(network.overheadHow == "captured")
    #expect(network.overheadSent == 7 * 40 && network.overheadReceived == 4 * 40)
    let burst = try #require(network.bursts.first)
    #expect(network.bursts.count == 1)
    // What was sent again passed the radio again.
    #expect(burst.bytesSent == 200 && burst.bytesReceived == 2000)
    #expect(abs(burst.start - 0.01) < 1e-6 && abs(burst.durationSeconds - 0.511) < 1e-6)
    // The recording ends 1.479 s after the last packet, the tail 11.576 s after it.
    #expect(abs(network.radio.secondsAfterEnd - (11.576 - 1.479)) < 1e-5)
    #expect(abs(burst.energyJoules - network.radio.energyJoules) < 1e-9)
  }

  // "114 of 57 packets" was said where a program spoke to itself: each is told at both ends.
  @Test func `a packet between two sockets of the process is counted once`() throws {
    var merged = try trace { builder in
      for (time, from, to) in [(10, 7, 2), (30, 2, 1), (500, 1, 7)] as [(UInt64, Int, Int)] {
        builder.socketState(
          time: second + time * millisecond, tid: 100, socket: 0xee, from: from, to: to,
          local: WireFrame.remote, localPort: 443, remote: WireFrame.local, remotePort: 40_000)
      }
    }
    try CaptureBuilder.withFile(capture().build()) { try merged.merge(capturePath: $0) }
    #expect(merged.packets.count == 22)
    let captured = try #require(try Measurement.measure(merged).network?.captured)
    #expect(captured.packets == 12 && captured.matched == 11 && captured.ofOthers == 1)
    #expect(captured.retransmissions == 1 && captured.connections == 2)
  }

  @Test func `a datagram socket is known by when and how much it sent`() throws {
    var merged = try trace { builder in
      for index in 0..<3 {
        let time = second + UInt64(600 + 100 * index) * millisecond
        builder.send(time: time, tid: 100, socket: 0xaa, bytes: 40 + index, protocol: 17)
        builder.receive(
          time: time + 20 * millisecond, tid: 100, socket: 0xaa, bytes: 90, protocol: 17)
      }
    }
    var packets = capture()
    for index in 0..<3 {
      let time = wall + UInt64(600 + 100 * index) * millisecond - 30_000
      packets.packet(time: time, WireFrame.datagram(6000, 53, payload: 40 + index))
      // Another program asks the same server at the same times.
      packets.packet(time: time, WireFrame.datagram(6001, 53, payload: 44))
      packets.packet(
        time: time + 15 * millisecond,
        WireFrame.datagram(from: WireFrame.remote, 53, to: WireFrame.local, 6000, payload: 90))
    }
    try CaptureBuilder.withFile(packets.build()) { try merged.merge(capturePath: $0) }
    let network = try #require(try Measurement.measure(merged).network)
    #expect(network.captured?.matched == 17 && network.captured?.ofOthers == 4)
    let datagrams = try #require(network.connections.first { $0.protocol == "udp" })
    #expect(datagrams.local == "192.0.2.1:6000" && datagrams.remote == "198.51.100.7:53")
    #expect(datagrams.bytesSent == 123 && datagrams.bytesReceived == 270)
  }

  @Test func `a capture of something else is refused`() throws {
    var merged = try trace()
    let reason = try CaptureBuilder.withFile(capture(port: 41_000).build()) { path in
      let error = #expect(throws: TraceError.self) { try merged.merge(capturePath: path) }
      return error?.description ?? ""
    }
    #expect(reason.contains("none of its 12 packets is of program's connections"))
  }

  @Test func `a capture alone is measured for the network and nothing else`() throws {
    let trace = try CaptureBuilder.withFile(capture().build()) { try Trace.load(path: $0) }
    let signals = try Measurement.measure(trace)
    let network = try #require(signals.network)
    #expect(network.connections.count == 2)
    let connection = network.connections[0]
    #expect(connection.local == "192.0.2.1:40000" && connection.remote == "198.51.100.7:443")
    #expect(connection.bytesSent == 100 && connection.bytesReceived == 2000)
    #expect(!connection.isServerSide)
    #expect(abs((connection.established ?? 0) - 0.02) < 1e-6)
    #expect(abs((connection.closed ?? 0) - 0.51) < 1e-6)
    #expect(network.sends == 2 && network.receives == 2)
    #expect(network.overheadSent == 8 * 40 && network.overheadReceived == 4 * 40)
    #expect(network.captured?.retransmissions == 1)
    // The tail is charged to its end, 11.576 s after the last packet, which is the capture's last moment too.
    #expect(abs(network.radio.secondsAfterEnd - 11.576) < 0.001)
    #expect(network.radio.joulesAfterEnd > 12.4 && network.radio.energyJoules > 12.786)
    #expect(abs((signals.energy?.radioJoules ?? 0) - network.radio.energyJoules) < 1e-12)
    #expect(Set(signals.unavailable.keys) == Set(SignalKind.allCases).subtracting([.network]))
    #expect(signals.mainThread == nil && signals.disk == nil && signals.memory == nil)
  }

  @Test func `a connection that nobody answers has failed`() throws {
    var packets = CaptureBuilder()
    for (time, sequence) in [(0, 1), (1, 1), (3, 1)] as [(UInt64, UInt32)] {
      packets.packet(
        time: wall + time * second, WireFrame.segment(40_000, 443, flags: 2, sequence: sequence))
    }
    let trace = try CaptureBuilder.withFile(packets.build()) { try Trace.load(path: $0) }
    let network = try #require(try Measurement.measure(trace).network)
    #expect(network.failures.map(\.remote) == ["198.51.100.7:443"])
    #expect(network.captured?.retransmissions == 2)
    #expect(network.bursts.allSatisfy { $0.class == .connectionControl })
  }
}
