/// Tells the target's socket state changes from those of the rest of the machine.
///
/// The state of a socket often changes in an interrupt, in whatever thread that hit. So a socket
/// belongs to the target when the target itself changed it before, or when it was accepted at a
/// port on which the target listens.
struct SocketFilter {
  private var sockets: Set<UInt64> = []
  private(set) var ports: Set<UInt16>

  /// TCP_CLOSE and TCP_LISTEN of the kernel's include/net/tcp_states.h.
  private static let closed: Int32 = 7
  private static let listening: Int32 = 10
  /// TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ.
  private static let interrupt: UInt8 = 0x18

  init(ports: Set<UInt16> = []) { self.ports = ports }

  /// Whether to keep a change of state.
  mutating func keeps(
    socket: UInt64, state: Int32, port: UInt16, commonFlags: UInt8, isTargetThread: Bool
  ) -> Bool {
    let isOwn = isTargetThread && commonFlags & Self.interrupt == 0
    guard isOwn || sockets.contains(socket) || ports.contains(port) else { return false }
    if isOwn, state == Self.listening { ports.insert(port) }
    if state == Self.closed { sockets.remove(socket) } else { sockets.insert(socket) }
    return true
  }

  /// Takes sockets for the target's that it had before the recording.
  mutating func know(_ more: [UInt64]) { sockets.formUnion(more) }

  /// The ports on which a running process listens.
  static func listeningPorts(pid: Int32) -> Set<UInt16> {
    Set(
      OpenSocket.all(of: pid).lazy.filter { $0.transport == 6 && Int32($0.state) == listening }
        .map(\.own.port))
  }
}
