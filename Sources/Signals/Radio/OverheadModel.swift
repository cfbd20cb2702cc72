import TraceModel

/// What headers, acknowledgements, handshakes and closes add to the payload: a model, as no event counts them.
///
/// TCP over Ethernet or the radio: segments of 1448 bytes with 52 bytes of headers (IP 20, TCP 20 and
/// 12 of timestamps, RFC 7323), one bare acknowledgement for each two segments (RFC 5681, section
/// 4.2), three segments to open (60, 60 and 52 bytes) and two in each direction to close. UDP: 28
/// bytes a datagram. IPv6 adds 20 to each.
enum OverheadModel {
  static let segmentPayload: UInt64 = 1448

  static func bytes(of transfers: some Sequence<Transfer>, connections: [Connection])
    -> (sent: UInt64, received: UInt64)
  {
    var sent: UInt64 = 0
    var received: UInt64 = 0
    for transfer in transfers {
      let extra: UInt64 = transfer.family == 10 ? 20 : 0
      // IPPROTO_UDP is 17.
      if transfer.transportProtocol == 17 {
        let headers = (28 + extra) &* transfer.weight
        if transfer.direction == .send { sent &+= headers } else { received &+= headers }
        continue
      }
      let segments = (transfer.bytes + segmentPayload - 1) / segmentPayload
      let headers = segments &* (52 + extra) &* transfer.weight
      let acknowledgements = (segments + 1) / 2 &* (52 + extra) &* transfer.weight
      if transfer.direction == .send {
        sent &+= headers
        received &+= acknowledgements
      } else {
        received &+= headers
        sent &+= acknowledgements
      }
    }
    for connection in connections where connection.transportProtocol != 17 {
      if connection.opened != nil {
        let asked: UInt64 = connection.established == nil ? 60 : 60 + 52
        let answered: UInt64 = 60
        sent &+= connection.isServerSide ? answered : asked
        received &+= connection.isServerSide ? asked : answered
      }
      if connection.closed ?? connection.finished != nil, connection.established != nil {
        sent &+= 2 * 52
        received &+= 2 * 52
      }
    }
    return (sent, received)
  }
}
