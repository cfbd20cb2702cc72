import Quantities

/// Which sockets descriptors stand for, as far as the calls tell that make them.
///
/// The kernel's own events tell of sockets without their descriptors. Only what is spliced from a socket into a pipe is
/// told by a descriptor alone: no event of the socket says that it was received.
struct DescriptorSockets {
  private struct Key: Hashable {
    var pid: Int32
    var fd: Int
  }

  struct Socket {
    /// AF_INET is 2, AF_INET6 is 10, AF_UNIX is 1.
    var family: Int
    /// Index into `SocketTracker.connections`, of one that was connected.
    var connection: Int?
    /// How many were accepted before it, of one that was.
    var place: Int?
  }

  private var sockets: [Key: Socket] = [:]
  /// The socket that a thread made last, until it connects one.
  private var latest: [Int32: Key] = [:]
  private var parents: [Int32: Int32] = [:]
  private var accepted = 0

  mutating func made(pid: Int32, tid: Int32, fd: Int, family: Int) {
    sockets[Key(pid: pid, fd: fd)] = Socket(family: family)
    latest[tid] = Key(pid: pid, fd: fd)
  }

  /// A thread connects a socket: the one that it made last.
  mutating func connects(tid: Int32, connection: Int) {
    guard let key = latest.removeValue(forKey: tid) else { return }
    sockets[key]?.connection = connection
  }

  mutating func accepted(pid: Int32, fd: Int, listener: Int) {
    if let family = socket(pid: pid, fd: listener)?.family {
      sockets[Key(pid: pid, fd: fd)] = Socket(family: family, place: accepted)
    }
    accepted += 1
  }

  mutating func closed(pid: Int32, fd: Int) { sockets[Key(pid: pid, fd: fd)] = nil }

  mutating func forked(_ child: Int32, from parent: Int32) {
    if child != parent { parents[child] = parent }
  }

  /// The socket of a process's descriptor, be it one that its parent left to it.
  func socket(pid: Int32, fd: Int) -> Socket? {
    var pid = pid
    for _ in 0..<64 {
      if let found = sockets[Key(pid: pid, fd: fd)] { return found }
      guard let parent = parents[pid] else { return nil }
      pid = parent
    }
    return nil
  }
}
