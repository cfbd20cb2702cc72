import PerfData
import Quantities

/// Follows connections by the kernel's address of their socket.
struct SocketTracker {
  private(set) var connections: [Connection] = []
  private(set) var listeners: [Listener] = []
  private var listening: [UInt64: Int] = [:]
  private var current: [UInt64: Int] = [:]
  /// Connections that were first seen when they had been there for some time, by their sockets, in the order of time.
  private(set) var late: [UInt64: [(until: Timestamp, connection: Int)]] = [:]
  /// Who had the CPU as connections were finished.
  private var finishers: [Int: Int32] = [:]
  /// Connections that somebody opened or carried something over.
  private var owned: Set<Int> = []
  private var accepts: [(pid: Int32, time: Timestamp)] = []
  /// Connections that came from elsewhere, in the order in which they can be accepted.
  private var acceptable: [Int] = []

  // include/net/tcp_states.h
  private static let established: Int64 = 1
  private static let synSent: Int64 = 2
  private static let synReceived: Int64 = 3
  private static let finWait: Int64 = 4
  private static let close: Int64 = 7
  private static let lastAcknowledgement: Int64 = 9
  private static let listen: Int64 = 10
  /// IPPROTO_UDP.
  private static let datagram = 17

  /// One sock:inet_sock_set_state record; `maker` is the process that had the CPU.
  mutating func change(
    socket: UInt64, from old: Int64, to new: Int64, transportProtocol: Int, local: String,
    remote: String, isLoopback: Bool, pid: Int32?, by maker: Int32? = nil, at time: Timestamp
  ) {
    defer { noteFinish(socket, from: old, to: new, by: maker, at: time) }
    if old == Self.established, new != old, transportProtocol != Self.datagram,
      current[socket].map({ connections[$0].closed != nil }) != false
    {
      // It was set up while a program that is not recorded had the CPU.
      open(
        Connection(
          socket: socket, transportProtocol: transportProtocol, local: local, remote: remote,
          isLoopback: isLoopback, isServerSide: isListenedAt(local), pid: nil))
      late[socket, default: []].append((time, connections.count - 1))
    }
    switch new {
    case Self.established where old == new, Self.listen where old == new:
      found(socket, new, transportProtocol, local, remote, isLoopback, pid, at: time)
    case Self.synSent, Self.synReceived:
      open(
        Connection(
          socket: socket, transportProtocol: transportProtocol, local: local, remote: remote,
          isLoopback: isLoopback, opened: time, isServerSide: new == Self.synReceived, pid: pid))
      if new == Self.synSent, pid != nil { owned.insert(connections.count - 1) }
    case Self.established:
      if let index = current[socket], connections[index].closed == nil {
        // The local port is chosen after SYN_SENT.
        connections[index].local = local
        connections[index].remote = remote
        connections[index].isLoopback = isLoopback
        connections[index].established = time
        if connections[index].isServerSide { acceptable.append(index) }
      } else {
        // No state of the kernel's: a UDP socket that was there, of which the end will be told.
        let opened = old == 0 ? nil : time
        open(
          Connection(
            socket: socket, transportProtocol: transportProtocol, local: local, remote: remote,
            isLoopback: isLoopback, opened: opened, isServerSide: old == Self.synReceived, pid: pid,
            established: opened))
        if old == 0 { late[socket, default: []].append((time, connections.count - 1)) }
        // A datagram's other end that spoke first is a client, which nobody accepted.
        if old == Self.synReceived, transportProtocol != Self.datagram {
          acceptable.append(connections.count - 1)
        }
      }
    case Self.listen:
      guard let pid else { break }
      listeners.append(Listener(pid: pid, local: local, opened: time, closed: nil))
      listening[socket] = listeners.count - 1
    case Self.close:
      if let index = current[socket], connections[index].closed == nil {
        connections[index].closed = time
      }
      if let index = listening.removeValue(forKey: socket) { listeners[index].closed = time }
    default: break
    }
  }

  private mutating func noteFinish(
    _ socket: UInt64, from old: Int64, to new: Int64, by pid: Int32?, at time: Timestamp
  ) {
    guard old != new, [Self.finWait, Self.lastAcknowledgement, Self.close].contains(new),
      let index = current[socket], connections[index].finished == nil
    else { return }
    connections[index].finished = time
    finishers[index] = pid
  }

  /// What a process closed as it ended is its last act: Linux 6.16 and later tell its end before.
  mutating func endFinishes(at ends: [Int32: Timestamp]) {
    for (index, pid) in finishers where connections[index].pid == pid {
      if let end = ends[pid], let time = connections[index].finished, time > end {
        connections[index].finished = end
      }
    }
  }

  /// The connection of a socket that is being connected; nil where its state was not seen.
  func connection(of socket: UInt64) -> Int? { current[socket] }

  /// The connection that was accepted as the one at this place; with more than one listener it cannot be told.
  func accepted(at place: Int) -> Int? {
    guard acceptable.indices.contains(place), Set(listeners.lazy.map(\.local)).count <= 1 else {
      return nil
    }
    return acceptable[place]
  }

  /// One that was there already.
  ///
  /// What was carried before is its too. No event tells the end of a UDP socket, after which its address may be
  /// another's: of that one this is all that is known.
  private mutating func found(
    _ socket: UInt64, _ state: Int64, _ transportProtocol: Int, _ local: String, _ remote: String,
    _ isLoopback: Bool, _ pid: Int32?, at time: Timestamp
  ) {
    if state == Self.listen, let pid {
      guard listening[socket] == nil else { return }
      listeners.append(Listener(pid: pid, local: local, opened: nil, closed: nil))
      listening[socket] = listeners.count - 1
    } else if state == Self.established {
      // It may be over already: it was looked for a moment ago.
      if let index = current[socket], connections[index].remote == remote,
        connections[index].local == local
      {
        // Or one that was just accepted, which is told to say whose it is.
        if connections[index].pid == nil { connections[index].pid = pid }
        return
      }
      let port = local.split(separator: ":").last
      open(
        Connection(
          socket: socket, transportProtocol: transportProtocol, local: local, remote: remote,
          isLoopback: isLoopback,
          isServerSide: listeners.contains {
            $0.pid == pid && $0.local.split(separator: ":").last == port
          }, pid: pid))
      late[socket, default: []].append((time, connections.count - 1))
      if transportProtocol == Self.datagram { current[socket] = nil }
    }
  }

  private func isListenedAt(_ local: String) -> Bool {
    let port = local.split(separator: ":").last
    return listeners.contains { $0.local.split(separator: ":").last == port }
  }

  /// Gives connections that were seen late to the processes whose transfers they are, in the order of these.
  mutating func claim(_ owners: [Int: [Int32]]) {
    for (index, pids) in owners { for pid in pids { claim(index, by: pid) } }
  }

  private mutating func claim(_ index: Int, by pid: Int32) {
    if owned.insert(index).inserted {
      connections[index].pid = pid
    } else if connections[index].pid != pid {
      connections[index].heirs.insert(pid)
    }
  }

  /// A process took a connection from elsewhere.
  mutating func accepted(by pid: Int32, at time: Timestamp) { accepts.append((pid, time)) }

  /// Gives connections that carried nothing to those who accepted more than did, each to the first accept after it was
  /// there.
  mutating func claimAccepted() {
    var left = accepts.reduce(into: [Int32: Int]()) { $0[$1.pid, default: 0] += 1 }
    for connection in connections where connection.isServerSide {
      if let pid = connection.pid { left[pid]? -= 1 }
    }
    let free = connections.indices.filter {
      connections[$0].isServerSide && connections[$0].pid == nil
        && connections[$0].transportProtocol != Self.datagram
    }
    // One that was set up while a program that is not recorded had the CPU may have been there at any time before.
    var waiting = free.map { index in
      (index: index, time: connections[index].established ?? Timestamp(nanoseconds: 0))
    }.sorted { ($0.time, $0.index) < ($1.time, $1.index) }[...]
    for (pid, time) in accepts where left[pid, default: 0] > 0 {
      guard let first = waiting.first, first.time <= time else { continue }
      waiting.removeFirst()
      claim(first.index, by: pid)
      left[pid]? -= 1
    }
  }

  private mutating func open(_ connection: Connection) {
    connections.append(connection)
    current[connection.socket] = connections.count - 1
  }

  /// The connection that a transfer belongs to; the first transfer claims it for its process.
  ///
  /// What came before a reset is read after it; a second later the address may be another socket's. A socket of
  /// datagrams that is not connected any longer carries them to and from anybody.
  mutating func connection(of socket: UInt64, pid: Int32, at time: Timestamp) -> Int? {
    guard let index = current[socket] else { return nil }
    let isDatagrams = connections[index].transportProtocol == Self.datagram
    if let closed = connections[index].closed, isDatagrams || (time - closed).seconds > 1 {
      return nil
    }
    claim(index, by: pid)
    return index
  }
}
