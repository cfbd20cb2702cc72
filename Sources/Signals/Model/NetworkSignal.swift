/// Traffic on internet sockets, as a phone's radio would see it.
package struct NetworkSignal: Sendable, Equatable {
  /// Whether it is known how many calls moved the bytes; else numbers of sends and receives tell nothing.
  package var countsCalls = true
  /// What there may have been besides, where not all of it was recorded.
  package var missing: String?
  /// Polls that follow each other before a burst is over, the quickest first.
  package var quickPolls: [QuickPolls] = []
  /// What may have left the machine besides what the bursts and the radio are made of; nil where all peers are known.
  package var peerless: PeerlessTraffic?
  /// Number of sends.
  package var sends: Int
  /// Number of receives.
  package var receives: Int
  /// Payload bytes sent.
  package var bytesSent: UInt64
  /// Payload bytes received.
  package var bytesReceived: UInt64
  /// Connections, in order of opening.
  package var connections: [ConnectionSignal]
  /// Bursts, in order of time.
  package var bursts: [Burst]
  /// What the modelled radio did.
  package var radio: RadioUse
  /// Whether loopback traffic counts.
  package var loopbackIncluded: Bool
  /// Sockets that wait for connections.
  package var listeners: [ListenerSignal]
  /// Connections and sends that failed.
  package var failures: [NetworkFailure]
  /// How talkative the traffic was.
  package var exchange: ExchangeSignal
  /// The same traffic on every other radio profile.
  package var alternatives: [RadioAlternative]
  /// The same traffic by other models of the radio, as far as it may be on one of these.
  package var models: [RadioModelling] = []
  /// The same traffic with sends that wait up to a minute for the next burst.
  package var coalesced: RadioReplaySaving?
  /// The same traffic with each series of polls replaced by its first request.
  package var withoutPolls: RadioReplaySaving?
  /// Bytes of headers and acknowledgements sent.
  package var overheadSent: UInt64
  /// Bytes of headers and acknowledgements received.
  package var overheadReceived: UInt64
  /// Whether the overhead was modelled or captured.
  package var overheadHow: String
  /// The capture that packets are known from; nil where there was none.
  package var captured: CapturedTraffic?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    sends: Int = 0,
    receives: Int = 0,
    bytesSent: UInt64 = 0,
    bytesReceived: UInt64 = 0,
    connections: [ConnectionSignal] = [],
    bursts: [Burst] = [],
    radio: RadioUse = RadioUse(),
    loopbackIncluded: Bool = false,
    listeners: [ListenerSignal] = [],
    failures: [NetworkFailure] = [],
    exchange: ExchangeSignal = ExchangeSignal(),
    alternatives: [RadioAlternative] = [],
    coalesced: RadioReplaySaving? = nil,
    withoutPolls: RadioReplaySaving? = nil,
    overheadSent: UInt64 = 0,
    overheadReceived: UInt64 = 0,
    overheadHow: String = "",
    captured: CapturedTraffic? = nil
  ) {
    self.sends = sends
    self.receives = receives
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.connections = connections
    self.bursts = bursts
    self.radio = radio
    self.loopbackIncluded = loopbackIncluded
    self.listeners = listeners
    self.failures = failures
    self.exchange = exchange
    self.alternatives = alternatives
    self.coalesced = coalesced
    self.withoutPolls = withoutPolls
    self.overheadSent = overheadSent
    self.overheadReceived = overheadReceived
    self.overheadHow = overheadHow
    self.captured = captured
  }
}

/// One connection or datagram peer.
package struct ConnectionSignal: Sendable, Equatable {
  /// tcp or udp.
  package var `protocol`: String
  /// Local address and port.
  package var local: String
  /// Remote address and port.
  package var remote: String
  /// Time of opening, nil if before the recording.
  package var opened: Double?
  /// Time of closing, nil if after the recording.
  package var closed: Double?
  /// Payload bytes sent.
  package var bytesSent: UInt64
  /// Payload bytes received.
  package var bytesReceived: UInt64
  /// Time of the handshake's end, nil if before the recording or never.
  package var established: Double?
  /// Whether the other end opened it.
  package var isServerSide: Bool

  /// Whether it ended before its handshake did.
  package var hasFailed: Bool { opened != nil && established == nil && closed != nil }

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    `protocol`: String,
    local: String = "",
    remote: String = "",
    opened: Double? = nil,
    closed: Double? = nil,
    bytesSent: UInt64 = 0,
    bytesReceived: UInt64 = 0,
    established: Double? = nil,
    isServerSide: Bool = false
  ) {
    self.protocol = `protocol`
    self.local = local
    self.remote = remote
    self.opened = opened
    self.closed = closed
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.established = established
    self.isServerSide = isServerSide
  }
}
