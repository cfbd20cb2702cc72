import CPerfEvent
import Glibc
import PerfData

/// A TCP socket of a recorded process, with what is told of it.
struct CountedSocket {
  var pid: Int32
  /// Stands for the kernel's address.
  var identity: UInt64
  var last: lull_socket
  /// What it had carried that is told, or was before it was recorded.
  var sent: UInt64
  var received: UInt64
}

/// Writes what sockets' counts tell as records of the kernel's events.
struct SocketWriter {
  private let records = PreloadWriter(stackBytes: 0)

  var attributes: [EventAttribute] {
    [PreloadEvent.send, .receive, .socketState].map { records.attributes[$0.rawValue] }
  }

  /// So many bytes went since the last look.
  func transfer(
    _ event: PreloadEvent, _ bytes: UInt64, of socket: CountedSocket, at time: UInt64,
    into output: inout RecordBytes
  ) {
    var left = bytes
    while left > 0 {
      let part = Int32(clamping: left)
      left -= UInt64(part)
      var payload = PreloadPayload(event, pid: socket.pid)
      payload.add(socket.identity)
      payload.add(UInt16(socket.last.family))
      payload.add(UInt16(IPPROTO_TCP))
      payload.add(part)
      payload.add(Int32(0))
      output.append(
        records.sample(event, payload, .init(pid: socket.pid, tid: socket.pid, time: time)))
    }
  }

  /// It went from one state of include/net/tcp_states.h to another.
  func change(
    _ socket: CountedSocket, from old: UInt8, to new: UInt8, at time: UInt64,
    into output: inout RecordBytes
  ) {
    let length = Int32(socket.last.family) == AF_INET6 ? 16 : 4
    let ends = SocketEnds(
      identity: socket.identity, transport: UInt16(IPPROTO_TCP),
      family: UInt16(socket.last.family),
      own: SocketName(
        address: withUnsafeBytes(of: socket.last.own) { Array($0.prefix(length)) },
        port: socket.last.own_port),
      peer: SocketName(
        address: withUnsafeBytes(of: socket.last.peer) { Array($0.prefix(length)) },
        port: socket.last.peer_port))
    output.append(
      ends.record(
        from: Int32(old), to: Int32(new), .init(pid: socket.pid, tid: socket.pid, time: time),
        records))
  }
}
