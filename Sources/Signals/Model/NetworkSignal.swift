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

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    sends: Int = 0,
    receives: Int = 0,
    bytesSent: UInt64 = 0,
    bytesReceived: UInt64 = 0,
    connections: [ConnectionSignal] = [],
    bursts: [Burst] = [],
    radio: RadioUse = RadioUse(),
    loopbackIncluded: Bool = false
  ) {
    self.sends = sends
    self.receives = receives
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.connections = connections
    self.bursts = bursts
    self.radio = radio
    self.loopbackIncluded = loopbackIncluded
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

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    `protocol`: String,
    local: String = "",
    remote: String = "",
    opened: Double? = nil,
    closed: Double? = nil,
    bytesSent: UInt64 = 0,
    bytesReceived: UInt64 = 0
  ) {
    self.protocol = `protocol`
    self.local = local
    self.remote = remote
    self.opened = opened
    self.closed = closed
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
  }
}
