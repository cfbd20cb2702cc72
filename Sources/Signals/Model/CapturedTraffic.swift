/// The capture that headers, acknowledgements and repeated segments are known from.
public struct CapturedTraffic: Sendable, Hashable, Codable {
  /// The capture's file.
  public var path: String
  /// Packets in the file, of whatever kind.
  public var packets: Int = 0
  /// Packets of the process's connections.
  public var matched: Int = 0
  /// TCP and UDP packets of others.
  public var ofOthers: Int = 0
  /// Packets that repeat what was sent before.
  public var retransmissions: Int = 0
  /// Connections whose packets were found.
  public var connections: Int = 0
  /// How much the capture's clock was ahead of the trace's; nil where it could not be told.
  public var clockOffsetSeconds: Double?
  /// Whose side is shown, and why packets may be missing.
  public var notes: [String] = []
  /// There is no trace beside it.
  public var isAlone: Bool = false
}
