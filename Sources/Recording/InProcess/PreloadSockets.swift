import CPreloadRing
import PerfData

/// What is told of the internet sockets of the recorded processes: by their calls, what tracepoints tell by each
/// one's address.
struct PreloadSockets {
  private typealias Call = PreloadSocketCall
  private typealias Key = PreloadSocketTable.Key

  private var table = PreloadSocketTable()
  /// The names of ends of datagrams, by what stands for each: a program tells again those that it told longest ago.
  private var names = RecentTable<UInt32, SocketName>(most: 16 * mostEnds)
  /// With more of one socket, it is not known whom the rest went to.
  private static let mostEnds = 1024
  /// MSG_FASTOPEN.
  private static let opensFast: UInt64 = 0x2000_0000

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
    var call = Call(
      record: record, parts: parts, count: UInt64(record.repeats) + 1, place: place,
      writer: writer, templates: templates)
    switch record.number {
    case CallMeaning.Number.close:
      if record.result >= 0 { close(call.key, place, writer, &output) }
    case let number where CallMeaning.Number.duplicates.contains(number):
      duplicate(call, &output)
    case CallMeaning.Number.control:
      if [0, 1030].contains(record.arguments.1) { duplicate(call, &output) }
    case CallMeaning.Number.connect, CallMeaning.Number.accept, CallMeaning.Number.listen:
      connect(call, &output)
    default:
      if Self.isSocket(record) { transfer(call, &output) }
      guard record.number == CallMeaning.Number.splice else { return }
      // Its first descriptor is what it takes from, the next what it gives to.
      call.record.arguments.0 = record.arguments.1
      guard let socket = table[call.key] else { return }
      call.record.number = CallMeaning.Number.write
      call.record.descriptor_kind = UInt16(
        (socket.isDatagram ? lull_descriptor_udp : lull_descriptor_tcp).rawValue)
      transfer(call, &output)
    }
  }

  /// Takes in what calls carried that were added up.
  mutating func carried(
    _ sum: PreloadSums.Sum, _ kind: UInt32, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    _ templates: RecordTemplates, into output: inout RecordBytes
  ) {
    for (bytes, count) in EvenTransfers.of(count: sum.count, bytes: sum.bytes) {
      var record = lull_record()
      (record.start, record.end) = (place.time, place.time)
      (record.number, record.descriptor_kind) = (sum.number, UInt16(truncatingIfNeeded: kind))
      record.result = Int64(clamping: bytes)
      record.arguments = (sum.descriptor, sum.flags, 0)
      let call = Call(
        record: record, parts: PreloadParts(), count: count, place: place, writer: writer,
        templates: templates)
      transfer(call, &output)
    }
  }

  /// What a process had before it was recorded.
  mutating func had(_ earlier: [OpenSocket], _ pid: Int32, at time: UInt64) {
    var byInode: [UInt64: PreloadSocket] = [:]
    for socket in earlier {
      let key = Key(pid: pid, descriptor: socket.descriptor)
      guard table[key] == nil, let state = Self.state(of: socket) else { continue }
      if let known = byInode[socket.inode] {
        table.add(key, for: known)
        continue
      }
      let new = table.add(key, family: socket.own.family, transport: socket.transport, at: time)
      (new.own, new.peer) = (socket.own, socket.peer)
      new.had(state)
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
    let open = table.open(of: pid)
    return [SocketState.listening, .established].flatMap { state in
      open.filter { $0.socket.state == state }.map { pid, socket in
        socket.standing(.init(pid: pid, tid: pid, time: time), writer)
      }
    }
  }

  /// A child has its parent's, less what that opened since then.
  mutating func forked(_ child: Int32, from parent: Int32, at time: UInt64) {
    table.fork(child, from: parent, at: time)
  }

  /// A process ended, which keeps none, or runs another program: of what else it had only what others have too is open.
  /// All that it did was told by now.
  mutating func keep(
    _ descriptors: Set<Int32>, of pid: Int32, _ place: PreloadWriter.Place, _ writer: PreloadWriter,
    into output: inout RecordBytes
  ) {
    for key in table.descriptors(of: pid) where !descriptors.contains(key.descriptor) {
      close(key, place, writer, &output)
    }
    table.forgetClosed(of: pid)
  }

  // MARK: - Connections

  private mutating func connect(_ call: Call, _ output: inout RecordBytes) {
    guard let (own, peer) = call.parts.addresses else { return }
    let record = call.record
    var key = call.key
    if record.number == CallMeaning.Number.accept {
      key.descriptor = Int32(truncatingIfNeeded: record.result)
    }
    let isConnect = record.number == CallMeaning.Number.connect
    let hasFailed = isConnect && record.result < 0 && !call.goesOn
    // The kernel tells nothing of datagrams' states.
    if call.isDatagram, hasFailed { return }
    var again: PreloadSocket?
    if let known = table[key] {
      switch (known.state, record.number) {
      case (.listening, CallMeaning.Number.listen): return
      case (.sending, CallMeaning.Number.connect):
        if record.result == 0 { change(known, to: .established, by: call, &output) }
        if hasFailed { change(known, to: .closed, by: call, &output) }
        return
      case (.closed, CallMeaning.Number.connect) where !call.isDatagram && !known.isDatagram:
        again = known
      // The number stands for another by now: it was closed where nobody saw it.
      default: close(key, call.place, call.writer, &output)
      }
    }
    let socket =
      again ?? table.add(key, family: own.family, transport: call.transport, at: record.start)
    (socket.own, socket.peer) = (own, peer)
    if call.isDatagram {
      // A socket that is connected has a peer.
      if isConnect, record.result == 0, peer.port != 0 {
        change(socket, to: .established, by: call, &output)
      }
    } else if record.number == CallMeaning.Number.listen {
      change(socket, to: .listening, by: call, &output)
    } else if record.number == CallMeaning.Number.accept {
      change(socket, to: .received, by: call, &output)
      change(socket, to: .established, by: call, &output)
      // It is this process's from now on, though nothing may go over it.
      output.append(socket.standing(call.place, call.writer))
    } else if hasFailed, own.port == 0 {
      // It was given no port, so that nothing was sent: there is no way to that network.
      tell(call, record.result, of: socket, isSend: true, &output)
    } else {
      output.append(socket.change(to: .sending, call.beginning, call.writer))
      if record.result == 0 { change(socket, to: .established, by: call, &output) }
      if hasFailed { change(socket, to: .closed, by: call, &output) }
    }
  }

  private func change(
    _ socket: PreloadSocket, to state: SocketState, by call: Call, _ output: inout RecordBytes
  ) {
    output.append(socket.change(to: state, call.place, call.writer))
  }

  private mutating func duplicate(_ call: Call, _ output: inout RecordBytes) {
    let key = call.key
    guard call.record.result >= 0, let number = Int32(exactly: call.record.result),
      number != key.descriptor
    else { return }
    let copy = Key(pid: key.pid, descriptor: number)
    close(copy, call.place, call.writer, &output)
    if let socket = table[key] { table.add(copy, for: socket) }
  }

  private mutating func close(
    _ key: Key, _ place: PreloadWriter.Place, _ writer: PreloadWriter, _ output: inout RecordBytes
  ) {
    guard let socket = table.remove(key, at: place.time) else { return }
    for end in socket.towards.values.sorted(by: { $0.identity < $1.identity }) + [socket]
    where end.state != .closed {
      output.append(end.change(to: .closed, place, writer))
    }
  }

  // MARK: - Transfers

  private mutating func transfer(_ call: Call, _ output: inout RecordBytes) {
    let record = call.record
    let isTaken =
      record.number == CallMeaning.Number.splice
      || CallMeaning.Number.reads.contains(record.number)
    guard call.isSend || isTaken else { return }
    var socket = table.socket(call.key, at: record.start) ?? found(by: call, &output)
    if call.isDatagram, let end = end(of: socket, in: call, &output) { socket = end }
    let bytes =
      call.isManyMessages && record.result > 0
      ? Int64(clamping: record.arguments.2) : record.result
    if socket.state == .sending, bytes > 0 {
      change(socket, to: .established, by: call, &output)
    }
    if call.isManyMessages, record.result > 1 {
      let messages = UInt64(record.result) * call.count
      var call = call
      for (bytes, count) in EvenTransfers.of(
        count: messages, bytes: UInt64(bytes) * call.count)
      {
        call.count = count
        tell(call, Int64(clamping: bytes), of: socket, isSend: call.isSend, &output)
      }
    } else {
      tell(call, bytes, of: socket, isSend: call.isSend, &output)
    }
    if call.isSend { tellStack(of: call, transferred(bytes, over: socket, by: call), &output) }
  }

  private func transferred(
    _ bytes: Int64, over socket: PreloadSocket, by call: Call
  ) -> RecordTemplates.Transfer {
    RecordTemplates.Transfer(
      socket: socket.identity, family: socket.family, transport: socket.transport,
      result: Int32(clamping: bytes),
      flags: call.isMessage || call.isManyMessages
        ? Int32(truncatingIfNeeded: call.record.arguments.1) : 0)
  }

  /// Writes what went over a socket, or that it failed, as the kernel's event of that tells it.
  private func tell(
    _ call: Call, _ bytes: Int64, of socket: PreloadSocket, isSend: Bool,
    _ output: inout RecordBytes
  ) {
    call.templates.tell(
      transferred(bytes, over: socket, by: call), isReceive: !isSend, call.place,
      standingFor: call.count, into: &output)
  }

  private func tellStack(
    of call: Call, _ transfer: RecordTemplates.Transfer, _ output: inout RecordBytes
  ) {
    guard let stack = call.parts.ownStack else { return }
    var payload = PreloadPayload(.sendStack, pid: call.place.tid)
    payload.add(transfer.socket)
    payload.add(transfer.family)
    payload.add(transfer.transport)
    payload.add(transfer.result)
    payload.add(transfer.flags)
    var writer = call.writer
    output.append(
      writer.sample(
        .sendStack, payload, call.place,
        callchain: writer.callchain(nil, programAt: stack.registers[PreloadSource.instruction]),
        registers: stack.registers, stack: stack.bytes))
  }

  /// A socket that no call of the process's made or connected: whoever gave it that may have, or the send itself does
  /// (MSG_FASTOPEN).
  private mutating func found(by call: Call, _ output: inout RecordBytes) -> PreloadSocket {
    let (key, record) = (call.key, call.record)
    guard let (own, peer) = call.parts.addresses else {
      return table.add(key, family: 2, transport: call.transport, at: record.start)
    }
    let namesEnd = call.isMessage && record.arguments.1 >> 32 != 0
    let opens =
      !call.isDatagram && call.isMessage && call.isSend
      && record.arguments.1 & Self.opensFast != 0
    if !call.isDatagram, !opens, peer.port != 0,
      let known = table.connection(from: own, to: peer)
    {
      table.add(key, for: known)
      return known
    }
    let socket = table.add(
      key, family: own.family == 0 ? 2 : own.family, transport: call.transport, at: record.start)
    socket.own = own
    // Of a datagram it is whom that went to.
    guard peer.port != 0, !call.isDatagram || !namesEnd else { return socket }
    socket.peer = peer
    if opens {
      output.append(socket.change(to: .sending, call.beginning, call.writer))
      if record.result < 0, !call.goesOn { change(socket, to: .closed, by: call, &output) }
    } else {
      socket.had(.established)
      output.append(socket.standing(call.place, call.writer))
    }
    return socket
  }

  /// What stands for a datagram socket towards the end that a call names: a socket with an identity of its own.
  ///
  /// Nil where the call names none, or the one that the socket is connected to.
  private mutating func end(
    of socket: PreloadSocket, in call: Call, _ output: inout RecordBytes
  ) -> PreloadSocket? {
    guard call.isMessage else { return nil }
    let mark = UInt32(call.record.arguments.1 >> 32)
    guard mark != 0 else { return nil }
    if let told = call.parts.addresses { names[mark] = told.peer }
    if let known = socket.towards[mark] { return known }
    guard let peer = names[mark], socket.towards.count < Self.mostEnds,
      socket.state != .established || socket.peer != peer
    else { return nil }
    let end = PreloadSocket(
      table.newIdentity(), family: peer.family, transport: PreloadSocket.datagrams,
      own: call.parts.addresses?.own ?? socket.own, peer: peer,
      state: call.isSend ? .closed : .received, opened: call.record.start)
    socket.towards[mark] = end
    output.append(end.change(to: .established, call.beginning, call.writer))
    return end
  }
}
