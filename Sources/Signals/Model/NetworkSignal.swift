/// Traffic on internet sockets, as a phone's radio would see it.
public struct NetworkSignal: Sendable, Hashable, Codable {
  /// Number of sends.
  public var sends: Int
  /// Number of receives.
  public var receives: Int
  /// Payload bytes sent.
  public var bytesSent: UInt64
  /// Payload bytes received.
  public var bytesReceived: UInt64
  /// Connections, in order of opening.
  public var connections: [ConnectionSignal]
  /// Bursts, in order of time.
  public var bursts: [Burst]
  /// What the modelled radio did.
  public var radio: RadioUse
  /// Whether loopback traffic counts.
  public var loopbackIncluded: Bool
  /// Sockets that wait for connections.
  public var listeners: [ListenerSignal]
  /// Connections and sends that failed.
  public var failures: [NetworkFailure]
  /// How talkative the traffic was.
  public var exchange: ExchangeSignal
  /// The same traffic on every other radio profile.
  public var alternatives: [RadioAlternative]
  /// The same traffic with sends that wait up to a minute for the next burst.
  public var coalesced: RadioReplaySaving?
  /// The same traffic with each series of polls replaced by its first request.
  public var withoutPolls: RadioReplaySaving?
  /// Bytes of headers and acknowledgements sent.
  public var overheadSent: UInt64
  /// Bytes of headers and acknowledgements received.
  public var overheadReceived: UInt64
  /// Whether the overhead was modelled or captured.
  public var overheadHow: String
  /// The capture that packets are known from; nil where there was none.
  public var captured: CapturedTraffic?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
public struct ConnectionSignal: Sendable, Hashable, Codable {
  /// tcp or udp.
  public var `protocol`: String
  /// Local address and port.
  public var local: String
  /// Remote address and port.
  public var remote: String
  /// Time of opening, nil if before the recording.
  public var opened: Double?
  /// Time of closing, nil if after the recording.
  public var closed: Double?
  /// Payload bytes sent.
  public var bytesSent: UInt64
  /// Payload bytes received.
  public var bytesReceived: UInt64
  /// Time of the handshake's end, nil if before the recording or never.
  public var established: Double?
  /// Whether the other end opened it.
  public var isServerSide: Bool

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
