import TestSupport
import Testing
import TraceModel

@testable import Signals

private let second: UInt64 = 1_000_000_000

/// Traffic by what is known of its other end.
struct PeerTests {
  private static let far: [UInt8] = [198, 51, 100, 7]
  private static let own: [UInt8] = [127, 0, 0, 1]

  /// A megabyte a second for ten seconds.
  private func talk(_ builder: inout TraceBuilder, udp: Bool = false) {
    for index in 2..<UInt64(12) {
      builder.send(
        time: index * second, tid: 100, socket: 9, bytes: 1_000_000, protocol: udp ? 17 : 6)
    }
  }

  private func found(
    _ builder: inout TraceBuilder, at time: UInt64, _ remote: [UInt8], state: Int = 1
  ) {
    builder.socketState(
      time: time, tid: 100, socket: state == 10 ? 8 : 9, from: state, to: state, remote: remote)
  }

  @Test func `what went to nobody knows whom is told apart, and the radio is without it`() throws {
    let signals = try measureProgram { talk(&$0) }
    let network = try #require(signals.network)
    #expect(network.bytesSent == 10_000_000)
    #expect(network.bursts.isEmpty && network.radio.energyJoules == 0)
    let peerless = try #require(network.peerless)
    #expect(peerless.bytesSent == 10_000_000 && peerless.bytesReceived == 0)
    #expect(peerless.sockets == 1 && peerless.bursts.count == 1)
    #expect(network.overheadSent == 0)
    // Where all counts it does not matter whom it went to.
    let all = try measureProgram(.init(includeLoopback: true)) { talk(&$0) }
    #expect(all.network?.bursts.count == 1 && all.network?.peerless == nil)
  }

  @Test(arguments: [true, false])
  func `a connection that is found has its peer, before and after`(isFar: Bool) throws {
    let signals = try measureProgram {
      found(&$0, at: 4 * second, isFar ? Self.far : Self.own)
      talk(&$0)
    }
    let network = try #require(signals.network)
    #expect(network.peerless == nil)
    #expect(network.bursts.reduce(0) { $0 + $1.bytesSent } == (isFar ? 10_000_000 : 0))
    #expect(network.connections.map(\.bytesSent) == [10_000_000])
    #expect(network.connections.first?.opened == nil)
  }

  @Test func `a UDP socket has the peer that it is found with, and none after that`() throws {
    let signals = try measureProgram {
      talk(&$0, udp: true)
      $0.datagramState(time: 8 * second + 1, tid: 100, socket: 9, remote: Self.own)
    }
    let network = try #require(signals.network)
    #expect(network.bursts.isEmpty)
    // Sends at 2 to 8 s are before it was found.
    #expect(network.connections.map(\.bytesSent) == [7_000_000])
    #expect(network.connections.map(\.protocol) == ["udp"])
    #expect(network.peerless?.bytesSent == 3_000_000)
  }

  @Test func `a connection that is told again is the same one`() throws {
    let signals = try measureProgram {
      found(&$0, at: second + 1, Self.far)
      talk(&$0)
      found(&$0, at: 13 * second, Self.far)
    }
    #expect(signals.network?.connections.map(\.bytesSent) == [10_000_000])
  }

  @Test func `a listening socket that is found makes it a server's side`() throws {
    let signals = try measureProgram {
      $0.socketState(
        time: second + 1, tid: 100, socket: 8, from: 10, to: 10, local: Self.own, localPort: 80,
        remote: [0, 0, 0, 0], remotePort: 0)
      $0.socketState(
        time: second + 1, tid: 100, socket: 9, from: 1, to: 1, local: Self.own, localPort: 80,
        remote: Self.own, remotePort: 40000)
      talk(&$0)
    }
    #expect(signals.network?.listeners.map(\.local) == ["127.0.0.1:80"])
    #expect(signals.network?.connections.map(\.isServerSide) == [true])
  }
}

/// Polls that follow each other within a burst.
struct QuickPollTests {
  /// Questions so many milliseconds apart, each with its answer after 20 ms.
  private func polls(
    every period: UInt64, count: UInt64 = 40, answer: Int = 200, answerAfter: UInt64 = 20,
    jitter: UInt64 = 0, remote: [UInt8] = [198, 51, 100, 7], isServer: Bool = false
  ) throws -> NetworkSignal {
    let millisecond: UInt64 = 1_000_000
    let signals = try measureProgram {
      $0.socketState(
        time: second + 1, tid: 100, socket: 9, from: 7, to: isServer ? 3 : 2, remote: remote)
      $0.socketState(
        time: second + 2, tid: 100, socket: 9, from: isServer ? 3 : 2, to: 1, remote: remote)
      for index in 0..<count {
        let moved = jitter == 0 ? 0 : index &* index &* 7919 % jitter
        let time = 2 * second + (index * period + moved) * millisecond
        $0.send(time: time, tid: 100, socket: 9, bytes: 90)
        $0.receive(time: time + answerAfter * millisecond, tid: 100, socket: 9, bytes: answer)
      }
    }
    return try #require(signals.network)
  }

  @Test(arguments: [100, 300, 1000, 1400])
  func `a question at a regular interval is a poll however short that is`(period: UInt64) throws {
    let network = try polls(every: period)
    #expect(network.bursts.count == 1)
    let found = try #require(network.quickPolls.first)
    #expect(network.quickPolls.count == 1)
    #expect(abs(found.periodSeconds - Double(period) / 1000) < 1e-6)
    #expect(found.count == 40 && found.host == "198.51.100.7")
    // Had the server told, the first question and its answer are left.
    let saved = try #require(network.withoutPolls)
    #expect(saved.savedJoules > 0 && saved.bursts == 1)
  }

  @Test func `other talk is none`() throws {
    // Each asks as soon as it has an answer.
    #expect(try polls(every: 300, answerAfter: 290).quickPolls.isEmpty)
    // Files in pieces, at any interval.
    #expect(try polls(every: 300, answer: 60_000).quickPolls.isEmpty)
    // A person's.
    #expect(try polls(every: 500, jitter: 400).quickPolls.isEmpty)
    #expect(try polls(every: 300, count: 8).quickPolls.isEmpty)
    // Others ask.
    #expect(try polls(every: 300, isServer: true).quickPolls.isEmpty)
    #expect(try polls(every: 300, remote: [127, 0, 0, 1]).quickPolls.isEmpty)
    // Apart by more than a burst's end they are bursts, which are periodic.
    let bursts = try polls(every: 2000)
    #expect(bursts.quickPolls.isEmpty && bursts.bursts.count { $0.class == .periodic } == 40)
  }
}
