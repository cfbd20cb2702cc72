/// A socket that waits for connections.
public struct ListenerSignal: Sendable, Hashable, Codable {
  /// Local address and port.
  public var local: String
  /// Time of listening, nil if before the recording.
  public var opened: Double?
  /// Time of closing, nil if after the recording.
  public var closed: Double?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    local: String,
    opened: Double? = nil,
    closed: Double? = nil
  ) {
    self.local = local
    self.opened = opened
    self.closed = closed
  }
}

/// A connection or send that did not succeed.
public struct NetworkFailure: Sendable, Hashable, Codable {
  /// Seconds from the start of the trace.
  public var time: Double
  /// Host at the other end.
  public var remote: String
  /// connect or send.
  public var kind: String

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    time: Double,
    remote: String = "",
    kind: String
  ) {
    self.time = time
    self.remote = remote
    self.kind = kind
  }
}
