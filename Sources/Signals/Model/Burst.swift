/// What a burst was for; the first class that fits, in this order.
package enum BurstClass: String, Sendable, CaseIterable {
  /// Longer than 5 s and more than 100 kB.
  case large
  /// Opening, closing or resetting connections only.
  case connectionControl
  /// Only repeats what was sent before.
  case retransmission
  /// Begins with received data.
  case serverInitiated
  /// One of three or more to one host at a regular interval.
  case periodic
  /// Everything else: the program's own doing.
  case application
}

/// Transfers less than 1.5 s apart, with the radio energy they caused.
package struct Burst: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var start: Double
  /// First to last transfer.
  package var durationSeconds: Double
  /// Payload bytes sent.
  package var bytesSent: UInt64
  /// Payload bytes received.
  package var bytesReceived: UInt64
  /// What the burst was for.
  package var `class`: BurstClass
  /// Hosts it spoke to, without ports, sorted.
  package var remotes: [String]
  /// The share that each of them had of what passed.
  package var remoteShares: [Double] = []
  /// Radio energy from its start until idle or the next burst.
  package var energyJoules: Double
  /// The part of it spent in tail states.
  package var tailEnergyJoules: Double
  /// Where its first send was made, innermost frame first.
  package var stack: [StackFrame]
  /// Transfers with payload.
  package var payloadTransfers: Int

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    start: Double,
    durationSeconds: Double = 0,
    bytesSent: UInt64 = 0,
    bytesReceived: UInt64 = 0,
    `class`: BurstClass = .application,
    remotes: [String] = [],
    energyJoules: Double = 0,
    tailEnergyJoules: Double = 0,
    stack: [StackFrame] = [],
    payloadTransfers: Int = 0
  ) {
    self.start = start
    self.durationSeconds = durationSeconds
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.class = `class`
    self.remotes = remotes
    self.energyJoules = energyJoules
    self.tailEnergyJoules = tailEnergyJoules
    self.stack = stack
    self.payloadTransfers = payloadTransfers
  }
}
