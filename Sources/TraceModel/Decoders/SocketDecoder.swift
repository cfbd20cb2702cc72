import PerfData
import Quantities

/// sock:* tracepoints.
enum SocketDecoder {
  static func send(_ context: DecodingContext, _ state: inout LoaderState) {
    transfer(.send, context, &state)
  }

  static func receive(_ context: DecodingContext, _ state: inout LoaderState) {
    // MSG_PEEK takes nothing out of the socket.
    if let flags = context.integer("flags"), flags & 0x02 != 0 { return }
    transfer(.receive, context, &state)
  }

  private static func transfer(
    _ direction: Transfer.Direction, _ context: DecodingContext, _ state: inout LoaderState
  ) {
    guard let socket = context.integer("sk"), let result = context.integer("ret") else { return }
    let identity = UInt64(bitPattern: socket)
    let pid = context.pid
    // EAGAIN (11) is no failure: the program is told to wait, as by EINPROGRESS (115) where the send is to connect.
    if result < 0, result != -11, result != -115, direction == .send,
      [2, 10].contains(context.integer("family") ?? 0)
    {
      state.tables.transferFailures.append(
        TransferFailure(
          time: context.time, pid: pid,
          connection: state.sockets.connection(of: identity, pid: pid, at: context.time),
          error: Int(-result), weight: context.weight))
    }
    guard result > 0 else { return }
    state.tables.transfers.append(
      Transfer(
        time: context.time, pid: pid, tid: context.tid, direction: direction,
        bytes: UInt64(result), weight: state.weights.weight(of: context, direction: direction),
        socket: identity,
        family: Int(context.integer("family") ?? 0),
        transportProtocol: Int(context.integer("protocol") ?? 0),
        connection: state.sockets.connection(of: identity, pid: pid, at: context.time),
        isSample: context.weight > 1))
  }

  static func setState(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let socket = context.integer("skaddr"), let old = context.integer("oldstate"),
      let new = context.integer("newstate"), let family = context.integer("family")
    else { return }
    let suffix = family == 10 ? "_v6" : ""
    guard let local = context.bytes("saddr" + suffix), let remote = context.bytes("daddr" + suffix)
    else { return }
    let pid = context.pid
    state.sockets.change(
      socket: UInt64(bitPattern: socket), from: old, to: new,
      transportProtocol: Int(context.integer("protocol") ?? 0),
      local: SocketAddress.text(bytes: local, port: context.integer("sport") ?? 0),
      remote: SocketAddress.text(bytes: remote, port: context.integer("dport") ?? 0),
      isLoopback: SocketAddress.isLoopback(bytes: remote),
      // A socket begins to listen, or to connect, in its own process; the rest may come in an interrupt.
      pid: state.processes.isKnown(pid) && (new == 2 || new == 10 || new == old) ? pid : nil,
      by: pid, at: context.time)
    if new == 2, let connection = state.sockets.connection(of: UInt64(bitPattern: socket)) {
      state.descriptorSockets.connects(tid: context.tid, connection: connection)
    }
  }

  /// What was spliced from a socket is told by the call's end: the socket's own events do not.
  static func spliced(
    pid: Int32, tid: Int32, fd: Int, bytes: UInt64, weight: UInt64, at time: Timestamp,
    _ state: inout LoaderState
  ) {
    guard bytes > 0, let socket = state.descriptorSockets.socket(pid: pid, fd: fd) else { return }
    let connection = socket.connection ?? socket.place.flatMap { state.sockets.accepted(at: $0) }
    let isInternet = Transfer.isInternet(socket.family)
    state.tables.transfers.append(
      Transfer(
        time: time, pid: pid, tid: tid, direction: .receive, bytes: bytes, weight: weight,
        socket: connection.map { state.sockets.connections[$0].socket }
          ?? 1 << 63 | UInt64(UInt32(bitPattern: pid)) << 24 | UInt64(fd & 0xff_ffff),
        family: socket.family,
        // IPPROTO_TCP: only streams can be spliced from.
        transportProtocol: isInternet ? 6 : 0, connection: isInternet ? connection : nil,
        isSample: weight > 1))
  }
}
