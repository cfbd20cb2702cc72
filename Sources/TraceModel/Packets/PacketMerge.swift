import Packets
import PerfData
import Quantities

extension Trace {
  /// Puts the packets of a capture of the same run in the place of what is modelled.
  ///
  /// Flows are the connections with the same ends at the same time; a socket whose ends the trace does not know
  /// (datagrams, connections older than the recording) is matched by the times and sizes of its transfers.
  ///
  /// - Throws: `TraceError` when no packet is the process's, or the clocks cannot be paired.
  public mutating func merge(_ capture: PacketCapture) throws(TraceError) {
    let flows = PacketFlow.flows(of: capture.packets)
    let table = ConnectionTable(self)
    let candidates = flows.map { table.connections(of: $0) }
    let clock = try CaptureClock(trace: self, flows: flows, connections: candidates)
    var merged: [CapturedPacket] = []
    var matched: Set<Int> = []
    // A packet between two sockets of the process is one packet, whatever is told at both its ends.
    var (taken, repeated) = (0, 0)
    func count(_ flow: PacketFlow) {
      for at in flow.packets {
        let time = clock.time(capture.packets[at].time)
        guard time >= subject.start, time <= end else { continue }
        taken += 1
        repeated += flow.repeated.contains(at) ? 1 : 0
      }
    }
    var unclaimed: [PacketFlow] = []
    let sends = SendTable(self)
    for (flow, list) in zip(flows, candidates) {
      let own = table.choose(among: list, for: flow, in: capture, clock: clock)
      if own.isEmpty { unclaimed.append(flow) }
      let ofSubject = own.filter { tables.connections[$0].pid == subject.pid }
      if !ofSubject.isEmpty { count(flow) }
      for index in ofSubject {
        matched.insert(index)
        merged += packets(of: flow, in: capture, clock: clock, as: index, sends: sends)
      }
    }
    for (flow, socket) in UnknownSockets.match(unclaimed, in: capture, clock: clock, trace: self) {
      let index = tables.connections.count
      tables.connections.append(flow.connection(socket: socket, pid: subject.pid))
      tables.transfers = TransferLog(
        tables.transfers.lazy.map { [pid = subject.pid] transfer in
          var told = transfer
          if transfer.socket == socket.socket, transfer.connection == nil, transfer.pid == pid {
            told.connection = index
          }
          return told
        })
      matched.insert(index)
      count(flow)
      merged += packets(
        of: flow, in: capture, clock: clock, as: index, sends: SendTable(self))
    }
    merged = merged.filter { $0.time >= subject.start && $0.time <= end }
    guard !merged.isEmpty else {
      throw TraceError(
        "\(capture.path): none of its \(Figures.count(capture.packets.count, "packet")) is of "
          + "\(subject.name)'s connections at the time of the recording; capture on the machine that "
          + "was recorded, while it is")
    }
    merged.sort { $0.time < $1.time }
    tables.packets = merged
    var notes = capture.notes
    let missing = Set(
      tables.transfers.internet(of: subject.pid).compactMap(\.connection)
    ).subtracting(matched).filter { !tables.connections[$0].isLoopback }
    if !missing.isEmpty {
      notes.append(
        "\(Figures.count(missing.count, "connection")) modelled, since not in the capture")
    }
    packetSource = PacketSource(
      path: capture.path, packets: capture.packets.count + capture.others + capture.cut,
      matched: taken, ofOthers: capture.packets.count - taken,
      retransmissions: repeated, connections: matched.count,
      clockOffsetSeconds: clock.offsetSeconds, notes: notes)
  }

  private func packets(
    of flow: PacketFlow, in capture: PacketCapture, clock: CaptureClock, as index: Int,
    sends: SendTable
  ) -> [CapturedPacket] {
    let local = flow.isFirstLocal(of: tables.connections[index]) ? flow.first : flow.second
    return flow.packets.map { at in
      let packet = capture.packets[at]
      let time = clock.time(packet.time)
      let isSent = packet.source == local
      return CapturedPacket(
        time: time, direction: isSent ? .send : .receive, payload: packet.payload,
        headers: packet.headers, connection: index, isRetransmission: flow.repeated.contains(at),
        stack: isSent && packet.payload > 0 ? sends.stack(of: index, at: time) : nil)
    }
  }
}

extension PacketCapture {
  /// What may be missing from it.
  var notes: [String] {
    var notes = note.map { [$0] } ?? []
    if cut > 0 {
      notes.append(
        "\(Figures.count(cut, "packet")) kept too short to know the ports; capture with -s 128")
    }
    if timeless > 0 {
      notes.append(
        "\(Figures.count(timeless, "packet")) without a time in the capture, at that of the packet before"
      )
    }
    return notes
  }
}

extension PacketFlow {
  /// Whether the connection's own end is the one that sent the first packet.
  func isFirstLocal(of connection: Connection) -> Bool {
    let first = Endpoint.text(self.first)
    let second = Endpoint.text(self.second)
    if connection.local == first, connection.remote == second { return true }
    if connection.local == second, connection.remote == first { return false }
    // The local port of a connection that was never granted is not known.
    return connection.remote == second
  }
}

extension Endpoint {
  /// As connections are written.
  static func text(_ end: Endpoint) -> String {
    SocketAddress.text(bytes: end.address.bytes, port: Int64(end.port))
  }
}
