import Packets
import PerfData
import Quantities

extension PacketFlow {
  /// The connection that a socket of unknown ends has, now that its packets tell them; when it was opened is not known.
  func connection(socket: UnknownSockets.Socket, pid: Int32) -> Connection {
    let (local, remote) = socket.isFirstLocal ? (first, second) : (second, first)
    return Connection(
      socket: socket.socket, transportProtocol: Int(transportProtocol),
      local: Endpoint.text(local), remote: Endpoint.text(remote),
      isLoopback: SocketAddress.isLoopback(bytes: remote.address.bytes), opened: nil, closed: nil,
      isServerSide: false, pid: pid)
  }

  /// The connection as one end of it would have seen it.
  func connection(socket: UInt64, isFirstLocal: Bool) -> Connection {
    let (local, remote) = isFirstLocal ? (first, second) : (second, first)
    func time(_ nanoseconds: UInt64?) -> Timestamp? {
      nanoseconds.map { Timestamp(nanoseconds: $0) }
    }
    return Connection(
      socket: socket, transportProtocol: Int(transportProtocol), local: Endpoint.text(local),
      remote: Endpoint.text(remote),
      isLoopback: SocketAddress.isLoopback(bytes: remote.address.bytes), opened: time(asked),
      closed: time(closed), isServerSide: asked != nil && !isFirstLocal, pid: captureAlonePid,
      established: time(granted))
  }
}

/// A capture has no process; all of it is one's.
let captureAlonePid: Int32 = 0
