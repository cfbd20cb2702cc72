import TraceModel

/// Measures internet sockets: transfers, connections, bursts, the radio.
enum NetworkMeasure {
  static func measure(
    _ subject: SubjectView, profile: RadioProfile, others: [RadioProfile], isRadioSaid: Bool,
    includeLoopback: Bool
  ) -> NetworkSignal {
    let trace = subject.trace
    let transfers = trace.transfers.internet(of: subject.pid)
    let connections = trace.connections.enumerated().filter { $0.element.isOf(subject.pid) }
    func counts(_ connection: Int?) -> Bool {
      includeLoopback || connection.map { !trace.connections[$0].isLoopback } ?? false
    }
    let packets = packets(subject, includeLoopback: includeLoopback)
    let start = subject.time(subject.start)
    let end = subject.time(subject.end)
    let replay = BurstSplitter.bursts(of: packets, from: start, to: end, profile: profile)
    let overhead = PacketMeasure.overhead(
      trace, transfers: transfers.lazy.filter { counts($0.connection) },
      // Who was left it neither opened it nor answers for its end.
      connections: connections.filter { $0.element.pid == subject.pid && counts($0.offset) }
        .map(\.offset), counts: counts)

    var bytes: [Int: (sent: UInt64, received: UInt64)] = [:]
    for transfer in transfers {
      guard let connection = transfer.connection else { continue }
      let amount = transfer.bytes &* transfer.weight
      let old = bytes[connection] ?? (0, 0)
      bytes[connection] =
        transfer.direction == .send
        ? (old.sent &+ amount, old.received) : (old.sent, old.received &+ amount)
    }
    let totals = trace.transferTotals[subject.pid] ?? TransferTotals()
    // A phone's program is not told to send over what its phone does not have.
    let isPhones = RadioProfile.isPhones(profile.technology)
    let quick = QuickPollMeasure.measure(subject, counts: counts)
    let models = RadioReplays.models(
      packets, quickPolls: quick, delay: longestDelay, from: start, to: end, profile: profile,
      others: others.compactMap { other in
        let isSame = other.technology == profile.technology
        guard isSame || !isPhones || RadioProfile.isPhones(other.technology) else { return nil }
        return (other, isSame || !isRadioSaid)
      })
    var signal = NetworkSignal(
      sends: Int(clamping: totals.sends), receives: Int(clamping: totals.receives),
      bytesSent: totals.bytesSent, bytesReceived: totals.bytesReceived,
      connections: connections.map { index, connection in
        ConnectionSignal(
          protocol: connection.transportProtocol == 17 ? "udp" : "tcp",
          local: connection.local, remote: connection.remote,
          opened: connection.opened.map(subject.time),
          closed: connection.closed.map(subject.time), bytesSent: bytes[index]?.sent ?? 0,
          bytesReceived: bytes[index]?.received ?? 0,
          established: connection.established.map(subject.time),
          isServerSide: connection.isServerSide)
      }, bursts: replay.bursts, radio: replay.radio, loopbackIncluded: includeLoopback,
      listeners: trace.listeners.filter { $0.pid == subject.pid }.map {
        ListenerSignal(
          local: $0.local, opened: $0.opened.map(subject.time),
          closed: $0.closed.map(subject.time))
      }, failures: failures(subject), exchange: ExchangeMeasure.measure(transfers, in: subject),
      alternatives: models.map(RadioAlternative.init),
      coalesced: packets.isEmpty
        ? nil
        : RadioReplays.coalesced(
          packets, delay: longestDelay, from: start, to: end, profile: profile),
      withoutPolls: packets.isEmpty
        ? nil
        : RadioReplays.withoutPolls(packets, and: quick, from: start, to: end, profile: profile),
      overheadSent: overhead.sent, overheadReceived: overhead.received, overheadHow: overhead.how,
      captured: PacketMeasure.source(trace))
    signal.countsCalls = trace.capture?.countsSockets != true
    signal.quickPolls = quick
    signal.models = models.filter(\.isCandidate)
    if !includeLoopback { signal.peerless = peerless(subject, beside: packets, profile) }
    return signal
  }

  /// What went to peers that are not known, and what the radio would have done with that too.
  private static func peerless(
    _ subject: SubjectView, beside known: [NetworkTransfer], _ profile: RadioProfile
  ) -> PeerlessTraffic? {
    let trace = subject.trace
    let transfers = trace.transfers.internet(of: subject.pid).filter { $0.connection == nil }
    guard !transfers.isEmpty else { return nil }
    let packets = (known + transfers.map { packet(of: $0, subject) }).sorted { $0.time < $1.time }
    let (start, end) = (subject.time(subject.start), subject.time(subject.end))
    let replay = BurstSplitter.bursts(of: packets, from: start, to: end, profile: profile)
    func bytes(_ direction: Transfer.Direction) -> UInt64 {
      transfers.reduce(0) { $1.direction == direction ? $0 &+ $1.bytes &* $1.weight : $0 }
    }
    return PeerlessTraffic(
      bytesSent: bytes(.send), bytesReceived: bytes(.receive),
      sockets: Set(transfers.map(\.socket)).count, bursts: replay.bursts, radio: replay.radio,
      coalesced: RadioReplays.coalesced(
        packets, delay: longestDelay, from: start, to: end, profile: profile),
      withoutPolls: RadioReplays.withoutPolls(packets, from: start, to: end, profile: profile))
  }

  /// How long a send that nobody waits for may wait (RULES `burst-coalescing`).
  static let longestDelay = 60.0

  private static func failures(_ subject: SubjectView) -> [NetworkFailure] {
    let trace = subject.trace
    var found = trace.connections.compactMap { connection -> NetworkFailure? in
      guard connection.pid == subject.pid, connection.hasFailed, !connection.isServerSide,
        // A window of a recording has the connections of all of it.
        let time = connection.closed, time >= subject.start, time <= subject.end
      else { return nil }
      return NetworkFailure(time: subject.time(time), remote: connection.remote, kind: "connect")
    }
    found += trace.transferFailures.filter { $0.pid == subject.pid }.map {
      NetworkFailure(
        time: subject.time($0.time),
        remote: $0.connection.map { trace.connections[$0].remote } ?? "unknown", kind: "send",
        count: Int(clamping: $0.weight))
    }
    return found.sorted { $0.time < $1.time }
  }

  /// What goes over the radio, in order of time: transfers, and the opening and closing of connections.
  ///
  /// Of what went to a peer that is not known it is not known whether it did, unless all counts.
  static func packets(_ subject: SubjectView, includeLoopback: Bool) -> [NetworkTransfer] {
    let trace = subject.trace
    func counts(_ connection: Int?) -> Bool {
      includeLoopback || connection.map { !trace.connections[$0].isLoopback } ?? false
    }
    var packets = PacketMeasure.transfers(subject, counts: counts)
    let captured = PacketMeasure.captured(trace)
    func isModelled(_ connection: Int?) -> Bool {
      counts(connection) && !(connection.map(captured.contains) ?? false)
    }
    for transfer in trace.transfers.internet(of: subject.pid)
    where isModelled(transfer.connection) {
      packets.append(packet(of: transfer, subject))
    }
    // A UDP socket is opened and closed with no packet.
    for (index, connection) in trace.connections.enumerated()
    where connection.pid == subject.pid && connection.transportProtocol != 17 && isModelled(index) {
      let times = [connection.opened, connection.finished, connection.closed]
      for time in Set(times.compactMap(\.self)) {
        packets.append(
          NetworkTransfer(time: subject.time(time), remote: host(connection.remote)))
      }
    }
    packets.sort { $0.time < $1.time }
    return packets
  }

  private static func packet(of transfer: Transfer, _ subject: SubjectView) -> NetworkTransfer {
    let bytes = transfer.bytes &* transfer.weight
    return NetworkTransfer(
      time: subject.time(transfer.time), bytesUp: transfer.direction == .send ? bytes : 0,
      bytesDown: transfer.direction == .receive ? bytes : 0,
      remote: transfer.connection.map { host(subject.trace.connections[$0].remote) } ?? "unknown",
      stack: transfer.direction == .send ? subject.frames(transfer.stack) : [])
  }

  /// An address without its port.
  static func host(_ address: String) -> String {
    guard let colon = address.lastIndex(of: ":") else { return address }
    return String(address[..<colon])
  }
}
