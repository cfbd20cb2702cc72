/// A socket that waits for connections.
package struct ListenerSignal: Sendable, Equatable {
  /// Local address and port.
  package var local: String
  /// Time of listening, nil if before the recording.
  package var opened: Double?
  /// Time of closing, nil if after the recording.
  package var closed: Double?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    local: String,
    opened: Double? = nil,
    closed: Double? = nil
  ) {
    self.local = local
    self.opened = opened
    self.closed = closed
  }
}

/// A connection or send that did not succeed, or several sends in a row.
package struct NetworkFailure: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var time: Double
  /// Host at the other end.
  package var remote: String
  /// connect or send.
  package var kind: String
  /// How many it stands for.
  package var count: Int

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    time: Double,
    remote: String = "",
    kind: String,
    count: Int = 1
  ) {
    self.count = count
    self.time = time
    self.remote = remote
    self.kind = kind
  }
}
