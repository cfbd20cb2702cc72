/// The capture that headers, acknowledgements and repeated segments are known from.
package struct CapturedTraffic: Sendable, Hashable, Codable {
  /// The capture's file.
  package var path: String
  /// Packets in the file, of whatever kind.
  package var packets: Int
  /// Packets of the process's connections.
  package var matched: Int
  /// TCP and UDP packets of others.
  package var ofOthers: Int
  /// Packets that repeat what was sent before.
  package var retransmissions: Int
  /// Connections whose packets were found.
  package var connections: Int
  /// How much the capture's clock was ahead of the trace's; nil where it could not be told.
  package var clockOffsetSeconds: Double?
  /// Whose side is shown, and why packets may be missing.
  package var notes: [String]
  /// There is no trace beside it.
  package var isAlone: Bool

  /// Makes the value from its parts.
  package init(
    path: String, packets: Int = 0, matched: Int = 0, ofOthers: Int = 0, retransmissions: Int = 0,
    connections: Int = 0, clockOffsetSeconds: Double? = nil, notes: [String] = [],
    isAlone: Bool = false
  ) {
    self.path = path
    self.packets = packets
    self.matched = matched
    self.ofOthers = ofOthers
    self.retransmissions = retransmissions
    self.connections = connections
    self.clockOffsetSeconds = clockOffsetSeconds
    self.notes = notes
    self.isAlone = isAlone
  }
}
