/// One transfer or connection change on an internet socket, as bursts are made of.
package struct NetworkTransfer: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var time: Double
  /// Payload bytes sent.
  package var bytesUp: UInt64
  /// Payload bytes received.
  package var bytesDown: UInt64
  /// Bytes of headers and of bare acknowledgements sent, where packets were captured.
  package var overheadUp: UInt64 = 0
  /// The same of what was received.
  package var overheadDown: UInt64 = 0
  /// Host at the other end, without port.
  package var remote: String
  /// Whether it repeats what was sent before.
  package var isRetransmission: Bool
  /// Where the program made it, innermost frame first.
  package var stack: [StackFrame]

  /// Makes a transfer; one without bytes opens, closes or resets a connection.
  package init(
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
