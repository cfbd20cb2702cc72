/// Which descriptors of which processes stand for which sockets.
struct PreloadSocketTable {
  struct Key: Hashable {
    var pid: Int32
    var descriptor: Int32
  }

  private var made: UInt64 = 0
  private var current: [Key: PreloadSocket] = [:]
  /// What descriptors were until when, in programs that have not ended: of repeated calls it is told late.
  private var closed: [Key: (socket: PreloadSocket, time: UInt64)] = [:]

  subscript(key: Key) -> PreloadSocket? { current[key] }

  /// What a descriptor stood for as a call began.
  func socket(_ key: Key, at time: UInt64) -> PreloadSocket? {
    if let before = closed[key], time <= before.time { return before.socket }
    return current[key]
  }

  /// A connection that another descriptor stands for, maybe of another process.
  func connection(from own: SocketName, to peer: SocketName) -> PreloadSocket? {
    current.values.first {
      $0.state == .established && !$0.isDatagram && $0.own == own && $0.peer == peer
    }
  }

  /// Those of one process or of all, and the ends that those of datagrams speak to, in the order in which they came.
  func open(of pid: Int32?) -> [(pid: Int32, socket: PreloadSocket)] {
    var open: [(pid: Int32, socket: PreloadSocket)] = []
    for (key, socket) in current where pid == nil || pid == key.pid {
      open.append((key.pid, socket))
      for end in socket.towards.values { open.append((key.pid, end)) }
    }
    return open.sorted { ($0.pid, $0.socket.identity) < ($1.pid, $1.socket.identity) }
  }

  func descriptors(of pid: Int32) -> [Key] { current.keys.filter { $0.pid == pid } }

  mutating func add(
    _ key: Key, family: UInt16, transport: UInt16, at time: UInt64
  ) -> PreloadSocket {
    let socket = PreloadSocket(
      newIdentity(), family: family, transport: transport, state: .closed, opened: time)
    current[key] = socket
    return socket
  }

  /// What stands for the kernel's address of a further socket.
  mutating func newIdentity() -> UInt64 {
    made += 1
    return 0xffff_8000_0000_0000 + made << 12
  }

  /// A further descriptor stands for a socket.
  mutating func add(_ key: Key, for socket: PreloadSocket) {
    current[key] = socket
    socket.references += 1
  }

  /// A descriptor stands for nothing any more: gives the socket that nothing else stands for.
  mutating func remove(_ key: Key, at time: UInt64) -> PreloadSocket? {
    guard let socket = current.removeValue(forKey: key) else { return nil }
    closed[key] = (socket, time)
    socket.references -= 1
    return socket.references == 0 ? socket : nil
  }

  /// All that a program did was told.
  mutating func forgetClosed(of pid: Int32) { closed = closed.filter { $0.key.pid != pid } }

  /// A child has its parent's, less what that opened since then.
  mutating func fork(_ child: Int32, from parent: Int32, at time: UInt64) {
    for (key, socket) in current where key.pid == parent && socket.opened < time {
      add(Key(pid: child, descriptor: key.descriptor), for: socket)
    }
  }
}
