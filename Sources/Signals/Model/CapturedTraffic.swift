/// The capture that headers, acknowledgements and repeated segments are known from.
public struct CapturedTraffic: Sendable, Hashable, Codable {
  /// The capture's file.
  public var path: String
  /// Packets in the file, of whatever kind.
  public var packets: Int
  /// Packets of the process's connections.
  public var matched: Int
  /// TCP and UDP packets of others.
  public var ofOthers: Int
  /// Packets that repeat what was sent before.
  public var retransmissions: Int
  /// Connections whose packets were found.
  public var connections: Int
  /// How much the capture's clock was ahead of the trace's; nil where it could not be told.
  public var clockOffsetSeconds: Double?
  /// Whose side is shown, and why packets may be missing.
  public var notes: [String]
  /// There is no trace beside it.
  public var isAlone: Bool

  /// Makes the value from its parts.
  public init(
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
