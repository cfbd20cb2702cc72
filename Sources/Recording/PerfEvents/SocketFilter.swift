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

  /// The ports on which a running process listens, from its socket inodes and /proc/PID/net.
  static func listeningPorts(pid: Int32) -> Set<UInt16> {
    var inodes: Set<Substring> = []
    let links = KernelFile.numbers(in: "/proc/\(pid)/fd").compactMap {
      KernelFile.link("/proc/\(pid)/fd/\($0)")
    }
    for link in links where link.hasPrefix("socket:[") {
      inodes.insert(link.dropFirst(8).dropLast())
    }
    guard !inodes.isEmpty else { return [] }
    var ports: Set<UInt16> = []
    for table in ["tcp", "tcp6"] {
      for line in (KernelFile.text("/proc/\(pid)/net/\(table)") ?? "").split(separator: "\n") {
        // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count > 9, fields[3] == "0A", inodes.contains(fields[9]),
          let colon = fields[1].lastIndex(of: ":"),
          let port = UInt16(fields[1][fields[1].index(after: colon)...], radix: 16)
        else { continue }
        ports.insert(port)
      }
    }
    return ports
  }
}
