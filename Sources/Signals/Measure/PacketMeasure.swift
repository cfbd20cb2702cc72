import TraceModel

/// Puts captured packets in the place of the transfers that they carried.
enum PacketMeasure {
  /// Connections whose packets were captured.
  static func captured(_ trace: Trace) -> Set<Int> { Set(trace.packets.map(\.connection)) }

  /// The captured packets, as bursts are made of.
  static func transfers(_ subject: SubjectView, counts: (Int?) -> Bool) -> [NetworkTransfer] {
    let trace = subject.trace
    return trace.packets.filter { counts($0.connection) }.map { packet in
      let isSent = packet.direction == .send
      var transfer = NetworkTransfer(
        time: subject.time(packet.time), bytesUp: isSent ? packet.payload : 0,
        bytesDown: isSent ? 0 : packet.payload,
        remote: NetworkMeasure.host(trace.connections[packet.connection].remote),
        isRetransmission: packet.isRetransmission, stack: subject.frames(packet.stack))
      transfer.overheadUp = isSent ? packet.headers : 0
      transfer.overheadDown = isSent ? 0 : packet.headers
      return transfer
    }
  }

  /// Bytes of headers, and what they are known from: what was not captured is modelled.
  static func overhead(
    _ trace: Trace, transfers: some Sequence<Transfer>, connections: [Int],
    counts: (Int?) -> Bool
  ) -> (sent: UInt64, received: UInt64, how: String) {
    let captured = captured(trace)
    let left = transfers.lazy.filter { !($0.connection.map(captured.contains) ?? false) }
    let open = connections.filter { !captured.contains($0) }
    var sum = OverheadModel.bytes(of: left, connections: open.map { trace.connections[$0] })
    let isModelled = sum.sent > 0 || sum.received > 0
    for packet in trace.packets where counts(packet.connection) {
      if packet.direction == .send {
        sum.sent &+= packet.headers
      } else {
        sum.received &+= packet.headers
      }
    }
    let how =
      captured.isEmpty ? "modelled" : isModelled ? "captured, the rest modelled" : "captured"
    return (sum.sent, sum.received, how)
  }

  static func source(_ trace: Trace) -> CapturedTraffic? {
    trace.packetSource.map {
      CapturedTraffic(
        path: $0.path, packets: $0.packets, matched: $0.matched, ofOthers: $0.ofOthers,
        retransmissions: $0.retransmissions, connections: $0.connections,
        clockOffsetSeconds: $0.clockOffsetSeconds, notes: $0.notes, isAlone: $0.isAlone)
    }
  }
}
