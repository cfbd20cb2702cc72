import CPreloadRing
import PerfData

/// The internet sockets of the recorded processes: by their calls, what tracepoints tell by each one's address.
struct PreloadSockets {
  private struct Socket {
    /// Stands for the kernel's address.
    var identity: UInt64
    var family: UInt16
    /// IPPROTO_TCP or _UDP.
    var transport: UInt16
    var own = SocketName([])
    var peer = SocketName([])
    var state: SocketState
    var opened: UInt64
    /// Descriptors that stand for it.
    var references = 1

    var ends: SocketEnds {
      SocketEnds(
        identity: identity, transport: transport, family: family, own: own, peer: peer)
    }
  }

  private struct Key: Hashable {
    var pid: Int32
    var descriptor: Int32
  }

  private var sockets: [Socket] = []
  private var current: [Key: Int] = [:]
  /// The ends of a datagram socket whose calls name them, by what stands for each in records.
  private var ends: [Int: [UInt32: Int]] = [:]
  /// The names that were told of them.
  private var names: [UInt32: SocketName] = [:]
  /// With more, it is not known whom the rest went to.
  private static let mostEnds = 1024
  /// What descriptors were until when: of repeated calls it is told late.
  private var closed: [Key: (index: Int, time: UInt64)] = [:]

  /// Takes in a call, and writes what the kernel would have told of it.
  mutating func call(
    _ record: lull_record, _ parts: PreloadParts, _ place: PreloadWriter.Place,
    _ writer: PreloadWriter, _ templates: RecordTemplates, into output: inout RecordBytes
  ) {
    let key = Key(pid: place.pid, descriptor: Int32(truncatingIfNeeded: record.arguments.0))
    let kind = UInt32(record.descriptor_kind)
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
      connect(record, parts, key, place, writer, &output)
    default:
      guard kind == lull_descriptor_tcp.rawValue || kind == lull_descriptor_udp.rawValue else {
        return
      }
      transfer(record, parts, key, place, writer, templates, &output)
    }
  }

  /// What a process had before it was recorded.
  mutating func had(_ earlier: [OpenSocket], _ pid: Int32, at time: UInt64) {
    var byInode: [UInt64: Int] = [:]
    for socket in earlier {
      let key = Key(pid: pid, descriptor: socket.descriptor)
      guard current[key] == nil, let state = Self.state(of: socket) else { continue }
      if let index = byInode[socket.inode] {
        current[key] = index
        sockets[index].references += 1
        continue
      }
      let index = add(key, family: socket.own.family, transport: socket.transport, at: time)
      (sockets[index].own, sockets[index].peer) = (socket.own, socket.peer)
      sockets[index].state = state
      byInode[socket.inode] = index
    }
  }

  private static func state(of socket: OpenSocket) -> SocketState? {
    if socket.state == SocketState.listening.rawValue { return .listening }
    if socket.state == SocketState.sending.rawValue { return .sending }
    return SocketState.carries(socket.state) ? .established : nil
  }

  /// Tells what is there, of which no call will tell: those that wait first, since which connections came to them is
  /// told by that.
  func tellOpen(at time: UInt64, _ writer: PreloadWriter) -> [[UInt8]] {
    var open: [(pid: Int32, index: Int)] = []
    for (key, index) in current {
      open.append((key.pid, index))
      for end in (ends[index] ?? [:]).values { open.append((key.pid, end)) }
    }
    open.sort { ($0.pid, $0.index) < ($1.pid, $1.index) }
    var output: [[UInt8]] = []
    for state in [SocketState.listening, .established] {
      for (pid, index) in open where sockets[index].state == state {
        // Of UDP the end is told too, where calls are seen: it is as if it were made now.
        output.append(
          sockets[index].ends.record(
            from: sockets[index].transport == 17 ? 0 : state.rawValue, to: state.rawValue,
            .init(pid: pid, tid: pid, time: time), writer))
      }
    }
    return output
  }

  /// A child has its parent's, less what that opened since then.
  mutating func forked(_ child: Int32, from parent: Int32, at time: UInt64) {
    for (key, index) in current where key.pid == parent && sockets[index].opened < time {
      current[Key(pid: child, descriptor: key.descriptor)] = index
      sockets[index].references += 1
    }
  }

  /// A process ended, or runs another program: of what it had only what others have too is open.
  mutating func ended(
    _ pid: Int32, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    into output: inout RecordBytes
  ) {
    for key in current.keys where key.pid == pid { close(key, place, writer, &output) }
  }

  private mutating func connect(
    _ record: lull_record, _ parts: PreloadParts, _ key: Key, _ place: PreloadWriter.Place,
    _ writer: PreloadWriter, _ output: inout RecordBytes
  ) {
    guard let (own, peer) = parts.addresses else { return }
    var key = key
    if record.number == CallMeaning.Number.accept {
      key.descriptor = Int32(truncatingIfNeeded: record.result)
    }
    let isDatagram = UInt32(record.descriptor_kind) == lull_descriptor_udp.rawValue
    if let index = current[key] {
      switch (sockets[index].state, record.number) {
      case (.listening, CallMeaning.Number.listen): return
      case (.sending, CallMeaning.Number.connect):
        if record.result == 0 { change(index, to: .established, place, writer, &output) }
        return
      // The number stands for another by now: it was closed where nobody saw it.
      default: forget(key, place, writer, &output)
      }
    }
    let index = add(key, family: own.family, transport: isDatagram ? 17 : 6, at: record.start)
    (sockets[index].own, sockets[index].peer) = (own, peer)
    if isDatagram {
      // The kernel tells nothing of datagrams' states; a socket that is connected has a peer.
      if record.number == CallMeaning.Number.connect, record.result == 0, peer.port != 0 {
        change(index, to: .established, place, writer, &output)
      }
      return
    }
    var begin = place
    begin.time = record.start
    if record.number == CallMeaning.Number.listen {
      change(index, to: .listening, place, writer, &output)
    } else if record.number == CallMeaning.Number.accept {
      change(index, to: .received, place, writer, &output)
      change(index, to: .established, place, writer, &output)
    } else {
      change(index, to: .sending, begin, writer, &output)
      if record.result == 0 { change(index, to: .established, place, writer, &output) }
    }
  }

  private mutating func add(
    _ key: Key, family: UInt16, transport: UInt16, at time: UInt64
  ) -> Int {
    sockets.append(
      Socket(
        identity: Self.identity(sockets.count), family: family, transport: transport,
        state: .closed, opened: time))
    current[key] = sockets.count - 1
    return sockets.count - 1
  }

  /// What stands for the kernel's address of the socket at a place.
  private static func identity(_ place: Int) -> UInt64 {
    0xffff_8000_0000_0000 + UInt64(place + 1) << 12
  }

  private mutating func transfer(
    _ record: lull_record, _ parts: PreloadParts, _ key: Key, _ place: PreloadWriter.Place,
    _ writer: PreloadWriter, _ templates: RecordTemplates, _ output: inout RecordBytes
  ) {
    let isSend = CallMeaning.Number.writes.contains(record.number)
    guard isSend || CallMeaning.Number.reads.contains(record.number) else { return }
    let isDatagram = UInt32(record.descriptor_kind) == lull_descriptor_udp.rawValue
    let before = closed[key].flatMap { record.start <= $0.time ? $0.index : nil }
    var index =
      before ?? current[key]
      ?? add(key, family: 2, transport: isDatagram ? 17 : 6, at: record.start)
    if isDatagram, let end = end(of: index, record, parts, isSend, place, writer, &output) {
      index = end
    }
    let isManyMessages = CallMeaning.Number.manyMessages.contains(record.number)
    let bytes =
      isManyMessages && record.result > 0
      ? Int64(clamping: record.arguments.2) : record.result
    if sockets[index].state == .sending, bytes > 0 {
      change(index, to: .established, place, writer, &output)
    }
    let isMessage = ![0, 1, 19, 20].contains(record.number)
    let transfer = RecordTemplates.Transfer(
      socket: sockets[index].identity, family: sockets[index].family,
      transport: sockets[index].transport, result: Int32(clamping: bytes),
      flags: isMessage ? Int32(truncatingIfNeeded: record.arguments.1) : 0)
    templates.tell(
      transfer, isReceive: !isSend, place, standingFor: UInt64(record.repeats) + 1, into: &output)
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

  /// What stands for a datagram socket towards the end that a call names: a socket with an identity of its own.
  ///
  /// Nil where the call names none, or the one that the socket is connected to.
  private mutating func end(
    of index: Int, _ record: lull_record, _ parts: PreloadParts, _ isSend: Bool,
    _ place: PreloadWriter.Place, _ writer: PreloadWriter, _ output: inout RecordBytes
  ) -> Int? {
    guard CallMeaning.Number.messages.contains(record.number) else { return nil }
    let mark = UInt32(record.arguments.1 >> 32)
    guard mark != 0 else { return nil }
    if let told = parts.addresses { names[mark] = told.peer }
    if let known = ends[index]?[mark] { return known }
    guard let peer = names[mark], ends[index]?.count ?? 0 < Self.mostEnds,
      sockets[index].state != .established || sockets[index].peer != peer
    else { return nil }
    let own = parts.addresses?.own ?? sockets[index].own
    sockets.append(
      Socket(
        identity: Self.identity(sockets.count), family: peer.family, transport: 17, own: own,
        peer: peer, state: isSend ? .closed : .received, opened: record.start))
    let end = sockets.count - 1
    ends[index, default: [:]][mark] = end
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
    guard let index = current[key] else { return }
    current[copy] = index
    sockets[index].references += 1
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
    guard let index = current.removeValue(forKey: key) else { return }
    closed[key] = (index, place.time)
    sockets[index].references -= 1
    guard sockets[index].references == 0 else { return }
    for end in (ends.removeValue(forKey: index) ?? [:]).values.sorted() + [index]
    where sockets[end].state != .closed {
      change(end, to: .closed, place, writer, &output)
    }
  }

  private mutating func change(
    _ index: Int, to state: SocketState, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    _ output: inout RecordBytes
  ) {
    let socket = sockets[index]
    output.append(
      socket.ends.record(from: socket.state.rawValue, to: state.rawValue, place, writer))
    sockets[index].state = state
  }
}
