import CPreloadRing
import PerfData

/// The internet sockets of the recorded processes: by their calls, what tracepoints tell by each one's address.
struct PreloadSockets {
  private final class Socket {
    /// Stands for the kernel's address.
    let identity: UInt64
    let family: UInt16
    /// IPPROTO_TCP or _UDP.
    let transport: UInt16
    var own: SocketName
    var peer: SocketName
    var state: SocketState
    let opened: UInt64
    /// Descriptors that stand for it.
    var references = 1
    /// The ends of a datagram socket whose calls name them, by what stands for each in records.
    var towards: [UInt32: Socket] = [:]

    init(
      _ identity: UInt64, family: UInt16, transport: UInt16, own: SocketName = SocketName([]),
      peer: SocketName = SocketName([]), state: SocketState, opened: UInt64
    ) {
      (self.identity, self.family, self.transport) = (identity, family, transport)
      (self.own, self.peer, self.state, self.opened) = (own, peer, state, opened)
    }

    var ends: SocketEnds {
      SocketEnds(
        identity: identity, transport: transport, family: family, own: own, peer: peer)
    }
  }

  private struct Key: Hashable {
    var pid: Int32
    var descriptor: Int32
  }

  private var made: UInt64 = 0
  private var current: [Key: Socket] = [:]
  /// The names of ends of datagrams, by what stands for each: a program tells again those that it told longest ago.
  private var names = RecentTable<UInt32, SocketName>(most: 16 * mostEnds)
  /// With more of one socket, it is not known whom the rest went to.
  private static let mostEnds = 1024
  /// What descriptors were until when, in programs that have not ended: of repeated calls it is told late.
  private var closed: [Key: (socket: Socket, time: UInt64)] = [:]

  /// Whether a call has anything to do with them: most have not.
  static func concerns(_ record: lull_record) -> Bool {
    isSocket(record) || record.number == CallMeaning.Number.splice
      || CallMeaning.Number.ofDescriptors.contains(record.number)
  }

  private static func isSocket(_ record: lull_record) -> Bool {
    let kind = UInt32(record.descriptor_kind)
    return kind == lull_descriptor_tcp.rawValue || kind == lull_descriptor_udp.rawValue
  }

  /// Takes in a call, and writes what the kernel would have told of it.
  mutating func call(
    _ record: lull_record, _ parts: PreloadParts, _ place: PreloadWriter.Place,
    _ writer: PreloadWriter, _ templates: RecordTemplates, into output: inout RecordBytes
  ) {
    let key = Key(pid: place.pid, descriptor: Int32(truncatingIfNeeded: record.arguments.0))
    let count = UInt64(record.repeats) + 1
    switch record.number {
    case CallMeaning.Number.close:
      if record.result >= 0 { close(key, place, writer, &output) }
    case let number where CallMeaning.Number.duplicates.contains(number):
      duplicate(key, to: record.result, place, writer, &output)
    case CallMeaning.Number.control:
      if [0, 1030].contains(record.arguments.1) {
        duplicate(key, to: record.result, place, writer, &output)
      }
    case CallMeaning.Number.connect, CallMeaning.Number.accept, CallMeaning.Number.listen:
      connect(record, parts, key, place, writer, templates, &output)
    default:
      if Self.isSocket(record) {
        transfer(record, parts, standingFor: count, key, place, writer, templates, &output)
      }
      // Its first descriptor is what it takes from.
      let target = Key(pid: place.pid, descriptor: Int32(truncatingIfNeeded: record.arguments.1))
      guard record.number == CallMeaning.Number.splice, let socket = current[target] else { return }
      var sent = record
      sent.number = CallMeaning.Number.write
      sent.descriptor_kind = UInt16(
        (socket.transport == 17 ? lull_descriptor_udp : lull_descriptor_tcp).rawValue)
      transfer(sent, parts, standingFor: count, target, place, writer, templates, &output)
    }
  }

  /// Takes in what calls carried that were added up.
  mutating func carried(
    _ sum: PreloadSums.Sum, _ kind: UInt32, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    _ templates: RecordTemplates, into output: inout RecordBytes
  ) {
    let key = Key(pid: place.pid, descriptor: Int32(truncatingIfNeeded: sum.descriptor))
    for (bytes, count) in EvenTransfers.of(count: sum.count, bytes: sum.bytes) {
      var record = lull_record()
      (record.start, record.end) = (place.time, place.time)
      (record.number, record.descriptor_kind) = (sum.number, UInt16(truncatingIfNeeded: kind))
      record.result = Int64(clamping: bytes)
      record.arguments = (sum.descriptor, sum.flags, 0)
      transfer(
        record, PreloadParts(), standingFor: count, key, place, writer, templates,
        &output)
    }
  }

  /// What a process had before it was recorded.
  mutating func had(_ earlier: [OpenSocket], _ pid: Int32, at time: UInt64) {
    var byInode: [UInt64: Socket] = [:]
    for socket in earlier {
      let key = Key(pid: pid, descriptor: socket.descriptor)
      guard current[key] == nil, let state = Self.state(of: socket) else { continue }
      if let known = byInode[socket.inode] {
        current[key] = known
        known.references += 1
        continue
      }
      let new = add(key, family: socket.own.family, transport: socket.transport, at: time)
      (new.own, new.peer, new.state) = (socket.own, socket.peer, state)
      byInode[socket.inode] = new
    }
  }

  private static func state(of socket: OpenSocket) -> SocketState? {
    if socket.state == SocketState.listening.rawValue { return .listening }
    if socket.state == SocketState.sending.rawValue { return .sending }
    return SocketState.carries(socket.state) ? .established : nil
  }

  /// Tells what is there, of one process or of all, of which no call will tell: those that wait first, since which
  /// connections came to them is told by that.
  func tellOpen(of pid: Int32? = nil, at time: UInt64, _ writer: PreloadWriter) -> [[UInt8]] {
    var open: [(pid: Int32, socket: Socket)] = []
    for (key, socket) in current where pid == nil || pid == key.pid {
      open.append((key.pid, socket))
      for end in socket.towards.values { open.append((key.pid, end)) }
    }
    open.sort { ($0.pid, $0.socket.identity) < ($1.pid, $1.socket.identity) }
    var output: [[UInt8]] = []
    for state in [SocketState.listening, .established] {
      for (pid, socket) in open where socket.state == state {
        // Of UDP the end is told too, where calls are seen: it is as if it were made now.
        output.append(
          socket.ends.record(
            from: socket.transport == 17 ? 0 : state.rawValue, to: state.rawValue,
            .init(pid: pid, tid: pid, time: time), writer))
      }
    }
    return output
  }

  /// A child has its parent's, less what that opened since then.
  mutating func forked(_ child: Int32, from parent: Int32, at time: UInt64) {
    for (key, socket) in current where key.pid == parent && socket.opened < time {
      current[Key(pid: child, descriptor: key.descriptor)] = socket
      socket.references += 1
    }
  }

  /// A process ended, which keeps none, or runs another program: of what else it had only what others have too is open.
  /// All that it did was told by now.
  mutating func keep(
    _ descriptors: Set<Int32>, of pid: Int32, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    into output: inout RecordBytes
  ) {
    for key in current.keys where key.pid == pid && !descriptors.contains(key.descriptor) {
      close(key, place, writer, &output)
    }
    closed = closed.filter { $0.key.pid != pid }
  }

  private mutating func connect(
    _ record: lull_record, _ parts: PreloadParts, _ key: Key, _ place: PreloadWriter.Place,
    _ writer: PreloadWriter, _ templates: RecordTemplates, _ output: inout RecordBytes
  ) {
    guard let (own, peer) = parts.addresses else { return }
    var key = key
    if record.number == CallMeaning.Number.accept {
      key.descriptor = Int32(truncatingIfNeeded: record.result)
    }
    let isDatagram = UInt32(record.descriptor_kind) == lull_descriptor_udp.rawValue
    let isConnect = record.number == CallMeaning.Number.connect
    let hasFailed = isConnect && record.result < 0 && !Self.goesOn(record.result)
    // The kernel tells nothing of datagrams' states.
    if isDatagram, hasFailed { return }
    var again: Socket?
    if let known = current[key] {
      switch (known.state, record.number) {
      case (.listening, CallMeaning.Number.listen): return
      case (.sending, CallMeaning.Number.connect):
        if record.result == 0 { change(known, to: .established, place, writer, &output) }
        if hasFailed { change(known, to: .closed, place, writer, &output) }
        return
      case (.closed, CallMeaning.Number.connect) where !isDatagram && known.transport == 6:
        again = known
      // The number stands for another by now: it was closed where nobody saw it.
      default: forget(key, place, writer, &output)
      }
    }
    let socket =
      again ?? add(key, family: own.family, transport: isDatagram ? 17 : 6, at: record.start)
    (socket.own, socket.peer) = (own, peer)
    if isDatagram {
      // A socket that is connected has a peer.
      if isConnect, record.result == 0, peer.port != 0 {
        change(socket, to: .established, place, writer, &output)
      }
      return
    }
    var begin = place
    begin.time = record.start
    if record.number == CallMeaning.Number.listen {
      change(socket, to: .listening, place, writer, &output)
    } else if record.number == CallMeaning.Number.accept {
      change(socket, to: .received, place, writer, &output)
      change(socket, to: .established, place, writer, &output)
      // It is this process's from now on, though nothing may go over it.
      tellStanding(socket, place, writer, &output)
    } else if hasFailed, own.port == 0 {
      // It was given no port, so that nothing was sent: there is no way to that network.
      tellFailure(of: socket, record.result, place, templates, &output)
    } else {
      change(socket, to: .sending, begin, writer, &output)
      if record.result == 0 { change(socket, to: .established, place, writer, &output) }
      if hasFailed { change(socket, to: .closed, place, writer, &output) }
    }
  }

  /// Whether what came back from a call goes on to connect: EINPROGRESS, EINTR.
  private static func goesOn(_ result: Int64) -> Bool { result == -115 || result == -4 }

  /// What was sent to no purpose, as the kernel's event of that tells it.
  private func tellFailure(
    of socket: Socket, _ error: Int64, _ place: PreloadWriter.Place, _ templates: RecordTemplates,
    _ output: inout RecordBytes
  ) {
    let transfer = RecordTemplates.Transfer(
      socket: socket.identity, family: socket.family, transport: socket.transport,
      result: Int32(clamping: error))
    templates.tell(transfer, isReceive: false, place, standingFor: 1, into: &output)
  }

  private mutating func add(
    _ key: Key, family: UInt16, transport: UInt16, at time: UInt64
  ) -> Socket {
    let socket = Socket(
      newIdentity(), family: family, transport: transport, state: .closed, opened: time)
    current[key] = socket
    return socket
  }

  /// What stands for the kernel's address of a further socket.
  private mutating func newIdentity() -> UInt64 {
    made += 1
    return 0xffff_8000_0000_0000 + made << 12
  }

  private mutating func transfer(
    _ record: lull_record, _ parts: PreloadParts, standingFor count: UInt64, _ key: Key,
    _ place: PreloadWriter.Place, _ writer: PreloadWriter, _ templates: RecordTemplates,
    _ output: inout RecordBytes
  ) {
    let isSplice = record.number == CallMeaning.Number.splice
    let isSend = !isSplice && CallMeaning.Number.writes.contains(record.number)
    guard isSplice || isSend || CallMeaning.Number.reads.contains(record.number) else { return }
    let isDatagram = UInt32(record.descriptor_kind) == lull_descriptor_udp.rawValue
    let before = closed[key].flatMap { record.start <= $0.time ? $0.socket : nil }
    var socket =
      before ?? current[key] ?? found(record, parts, isSend, key, place, writer, &output)
    if isDatagram, let end = end(of: socket, record, parts, isSend, place, writer, &output) {
      socket = end
    }
    let isManyMessages = CallMeaning.Number.manyMessages.contains(record.number)
    let bytes =
      isManyMessages && record.result > 0
      ? Int64(clamping: record.arguments.2) : record.result
    if socket.state == .sending, bytes > 0 {
      change(socket, to: .established, place, writer, &output)
    }
    let isMessage = CallMeaning.Number.messages.contains(record.number) || isManyMessages
    var transfer = RecordTemplates.Transfer(
      socket: socket.identity, family: socket.family, transport: socket.transport,
      result: Int32(clamping: bytes),
      flags: isMessage ? Int32(truncatingIfNeeded: record.arguments.1) : 0)
    if isManyMessages, record.result > 1 {
      let messages = UInt64(record.result) * count
      for (bytes, count) in EvenTransfers.of(count: messages, bytes: UInt64(bytes) * count) {
        transfer.result = Int32(clamping: bytes)
        templates.tell(transfer, isReceive: !isSend, place, standingFor: count, into: &output)
      }
    } else {
      templates.tell(transfer, isReceive: !isSend, place, standingFor: count, into: &output)
    }
    guard isSend, let stack = parts.ownStack else { return }
    var payload = PreloadPayload(.sendStack, pid: place.tid)
    payload.add(transfer.socket)
    payload.add(transfer.family)
    payload.add(transfer.transport)
    payload.add(transfer.result)
    payload.add(transfer.flags)
    var writer = writer
    output.append(
      writer.sample(
        .sendStack, payload, place,
        callchain: writer.callchain(nil, programAt: stack.registers[PreloadSource.instruction]),
        registers: stack.registers, stack: stack.bytes))
  }

  /// A socket that no call of the process's made or connected: whoever gave it that may have, or the send itself does
  /// (MSG_FASTOPEN).
  private mutating func found(
    _ record: lull_record, _ parts: PreloadParts, _ isSend: Bool, _ key: Key,
    _ place: PreloadWriter.Place, _ writer: PreloadWriter, _ output: inout RecordBytes
  ) -> Socket {
    let transport: UInt16 =
      UInt32(record.descriptor_kind) == lull_descriptor_udp.rawValue ? 17 : 6
    guard let (own, peer) = parts.addresses else {
      return add(key, family: 2, transport: transport, at: record.start)
    }
    let isMessage = CallMeaning.Number.messages.contains(record.number)
    let namesEnd = isMessage && record.arguments.1 >> 32 != 0
    let opens = transport == 6 && isMessage && isSend && record.arguments.1 & Self.opensFast != 0
    if transport == 6, !opens, peer.port != 0,
      let known = current.values.first(where: {
        $0.state == .established && $0.transport == 6 && $0.own == own && $0.peer == peer
      })
    {
      known.references += 1
      current[key] = known
      return known
    }
    let socket = add(
      key, family: own.family == 0 ? 2 : own.family, transport: transport, at: record.start)
    socket.own = own
    // Of a datagram it is whom that went to.
    guard peer.port != 0, transport == 6 || !namesEnd else { return socket }
    socket.peer = peer
    if opens {
      var begin = place
      begin.time = record.start
      change(socket, to: .sending, begin, writer, &output)
      if record.result < 0, !Self.goesOn(record.result) {
        change(socket, to: .closed, place, writer, &output)
      }
    } else {
      socket.state = .established
      tellStanding(socket, place, writer, &output)
    }
    return socket
  }

  /// MSG_FASTOPEN.
  private static let opensFast: UInt64 = 0x2000_0000

  /// Tells whose a connection is that is there, by what was there before.
  private func tellStanding(
    _ socket: Socket, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    _ output: inout RecordBytes
  ) {
    let from = socket.transport == 17 ? 0 : SocketState.established.rawValue
    output.append(
      socket.ends.record(from: from, to: SocketState.established.rawValue, place, writer))
  }

  /// What stands for a datagram socket towards the end that a call names: a socket with an identity of its own.
  ///
  /// Nil where the call names none, or the one that the socket is connected to.
  private mutating func end(
    of socket: Socket, _ record: lull_record, _ parts: PreloadParts, _ isSend: Bool,
    _ place: PreloadWriter.Place, _ writer: PreloadWriter, _ output: inout RecordBytes
  ) -> Socket? {
    guard CallMeaning.Number.messages.contains(record.number) else { return nil }
    let mark = UInt32(record.arguments.1 >> 32)
    guard mark != 0 else { return nil }
    if let told = parts.addresses { names[mark] = told.peer }
    if let known = socket.towards[mark] { return known }
    guard let peer = names[mark], socket.towards.count < Self.mostEnds,
      socket.state != .established || socket.peer != peer
    else { return nil }
    let end = Socket(
      newIdentity(), family: peer.family, transport: 17, own: parts.addresses?.own ?? socket.own,
      peer: peer, state: isSend ? .closed : .received, opened: record.start)
    socket.towards[mark] = end
    var begin = place
    begin.time = record.start
    change(end, to: .established, begin, writer, &output)
    return end
  }

  private mutating func duplicate(
    _ key: Key, to result: Int64, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    _ output: inout RecordBytes
  ) {
    guard result >= 0, let number = Int32(exactly: result), number != key.descriptor else { return }
    let copy = Key(pid: key.pid, descriptor: number)
    close(copy, place, writer, &output)
    guard let socket = current[key] else { return }
    current[copy] = socket
    socket.references += 1
  }

  private mutating func close(
    _ key: Key, _ place: PreloadWriter.Place, _ writer: PreloadWriter, _ output: inout RecordBytes
  ) {
    guard current[key] != nil else { return }
    forget(key, place, writer, &output)
  }

  private mutating func forget(
    _ key: Key, _ place: PreloadWriter.Place, _ writer: PreloadWriter, _ output: inout RecordBytes
  ) {
    guard let socket = current.removeValue(forKey: key) else { return }
    closed[key] = (socket, place.time)
    socket.references -= 1
    guard socket.references == 0 else { return }
    for end in socket.towards.values.sorted(by: { $0.identity < $1.identity }) + [socket]
    where end.state != .closed {
      change(end, to: .closed, place, writer, &output)
    }
  }

  private func change(
    _ socket: Socket, to state: SocketState, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    _ output: inout RecordBytes
  ) {
    output.append(
      socket.ends.record(from: socket.state.rawValue, to: state.rawValue, place, writer))
    socket.state = state
  }
}
