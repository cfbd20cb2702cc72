import PerfData

/// The states of sockets that are told (include/net/tcp_states.h).
enum SocketState: Int32 {
  case established = 1
  case sending = 2
  case received = 3
  case closed = 7
  case listening = 10

  /// Those in which a connection can carry something, be it one way: established, half closed.
  static func carries(_ state: Int32) -> Bool { [1, 4, 5, 8].contains(state) }
}

/// A socket as the kernel's event of its states tells it.
struct SocketEnds {
  /// The kernel's address, or what stands for it.
  var identity: UInt64
  /// IPPROTO_TCP or IPPROTO_UDP.
  var transport: UInt16
  var family: UInt16
  var own: SocketName
  var peer: SocketName

  /// The record of a change of its state; one that was there before goes from its state to the same.
  func record(
    from old: Int32, to new: Int32, _ place: PreloadWriter.Place, _ writer: PreloadWriter
  ) -> [UInt8] {
    var payload = PreloadPayload(.socketState, pid: place.tid)
    payload.add(identity)
    payload.add(old)
    payload.add(new)
    payload.add(own.port)
    payload.add(peer.port)
    payload.add(family)
    payload.add(transport)
    let isLong = family == 10
    payload.add(isLong ? [] : own.address, padded: 4)
    payload.add(isLong ? [] : peer.address, padded: 4)
    payload.add(isLong ? own.address : [], padded: 16)
    payload.add(isLong ? peer.address : [], padded: 16)
    return writer.sample(.socketState, payload, place)
  }
}
