/// One transfer or connection change on an internet socket, as bursts are made of.
public struct NetworkTransfer: Sendable, Hashable {
  /// Seconds from the start of the trace.
  public var time: Double
  /// Payload bytes sent.
  public var bytesUp: UInt64
  /// Payload bytes received.
  public var bytesDown: UInt64
  /// Bytes of headers and of bare acknowledgements sent, where packets were captured.
  public var overheadUp: UInt64 = 0
  /// The same of what was received.
  public var overheadDown: UInt64 = 0
  /// Host at the other end, without port.
  public var remote: String
  /// Whether it repeats what was sent before.
  public var isRetransmission: Bool
  /// Where the program made it, innermost frame first.
  public var stack: [StackFrame]

  /// Makes a transfer; one without bytes opens, closes or resets a connection.
  public init(
    time: Double, bytesUp: UInt64 = 0, bytesDown: UInt64 = 0, remote: String = "",
    isRetransmission: Bool = false, stack: [StackFrame] = []
  ) {
    self.time = time
    self.bytesUp = bytesUp
    self.bytesDown = bytesDown
    self.remote = remote
    self.isRetransmission = isRetransmission
    self.stack = stack
  }
}
