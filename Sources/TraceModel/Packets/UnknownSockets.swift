import Packets
import PerfData
import Quantities

/// Sockets of which the trace knows transfers but no ends: datagrams, and connections older than the recording.
enum UnknownSockets {
  struct Socket {
    var socket: UInt64
    var transportProtocol: UInt8
    var sends: [Transfer] = []
    var receives: [Transfer] = []
    /// Which of the flow's ends is the process's.
    var isFirstLocal = true
  }

  /// The send is noted when its call ends, by when the packet has left, unless the network was busy.
  private static let beforeSeconds = 0.005
  private static let afterSeconds = 0.05
  /// So many transfers tell one flow from another.
  private static let mostCompared = 200
  /// Share of the sends that must have a packet at their time.
  private static let leastShare = 0.9

  /// Each of these flows with the socket that it fits, where one does.
  static func match(
    _ flows: [PacketFlow], in capture: PacketCapture, clock: CaptureClock, trace: Trace
  ) -> [(PacketFlow, Socket)] {
    var open = sockets(of: trace)
    var found: [(PacketFlow, Socket)] = []
    for flow in flows {
      var best: (index: Int, isFirstLocal: Bool, share: Double)?
      for (index, socket) in open.enumerated()
      where socket.transportProtocol == flow.transportProtocol {
        for isFirstLocal in [true, false] {
          let share = likeness(flow, socket, isFirstLocal, capture, clock)
          if share >= leastShare, share > best?.share ?? 0 { best = (index, isFirstLocal, share) }
        }
      }
      guard let best else { continue }
      // A datagram socket may have many peers; a connection has one.
      var socket =
        flow.transportProtocol == 6 ? open.remove(at: best.index) : open[best.index]
      socket.isFirstLocal = best.isFirstLocal
      found.append((flow, socket))
    }
    return found
  }

  private static func sockets(of trace: Trace) -> [Socket] {
    var sockets: [UInt64: Socket] = [:]
    for transfer in trace.transfers
    where transfer.pid == trace.subject.pid && transfer.isInternet && transfer.connection == nil {
      var socket =
        sockets[transfer.socket]
        ?? Socket(
          socket: transfer.socket,
          transportProtocol: UInt8(clamping: transfer.transportProtocol))
      if transfer.direction == .send {
        socket.sends.append(transfer)
      } else {
        socket.receives.append(transfer)
      }
      sockets[transfer.socket] = socket
    }
    return sockets.values.sorted { $0.socket < $1.socket }
  }

  /// How well the flow's packets with payload stand where the socket's transfers do, from 0 to 1.
  private static func likeness(
    _ flow: PacketFlow, _ socket: Socket, _ isFirstLocal: Bool, _ capture: PacketCapture,
    _ clock: CaptureClock
  ) -> Double {
    let local = isFirstLocal ? flow.first : flow.second
    let packets = flow.packets.filter { !flow.repeated.contains($0) }
      .map { capture.packets[$0] }.filter { $0.payload > 0 }
    let out = packets.filter { $0.source == local }.map { (clock.time($0.time), $0.payload) }
    let back = packets.filter { $0.source != local }.map { (clock.time($0.time), $0.payload) }
    if flow.transportProtocol == 17 {
      // Datagrams stay whole: each of the flow's has its transfer.
      let sent = share(of: out, in: socket.sends, upTo: afterSeconds)
      let received = share(of: back, in: socket.receives, upTo: .infinity)
      return out.isEmpty ? received ?? 0 : sent ?? 0
    }
    guard !socket.sends.isEmpty else {
      let bytes = back.reduce(0) { $0 + Double($1.1) }
      let read = socket.receives.reduce(0) { $0 + Double($1.bytes) * Double($1.weight) }
      return bytes > 0 && out.isEmpty ? min(bytes, read) / max(bytes, read) : 0
    }
    let sample = socket.sends.prefix(mostCompared)
    let found = sample.count { send in
      out.contains { time, _ in
        let distance = (time - send.time).seconds
        return distance >= -afterSeconds && distance <= afterSeconds
      }
    }
    return Double(found) / Double(sample.count)
  }

  /// The share of datagrams that have a transfer of their size in their time; nil where there are none.
  private static func share(
    of datagrams: [(Timestamp, UInt64)], in transfers: [Transfer], upTo latest: Double
  ) -> Double? {
    let sample = datagrams.prefix(mostCompared)
    guard !sample.isEmpty else { return nil }
    let found = sample.count { time, bytes in
      transfers.contains { transfer in
        let distance = (transfer.time - time).seconds
        return transfer.bytes == bytes && distance >= -beforeSeconds && distance <= latest
      }
    }
    return Double(found) / Double(sample.count)
  }
}
