/// The capture that headers, acknowledgements and repeated segments are known from.
package struct CapturedTraffic: Sendable, Equatable {
  /// The capture's file.
  package var path: String
  /// Packets in the file, of whatever kind.
  package var packets: Int = 0
  /// Packets of the process's connections.
  package var matched: Int = 0
  /// TCP and UDP packets of others.
  package var ofOthers: Int = 0
  /// Packets that repeat what was sent before.
  package var retransmissions: Int = 0
  /// Connections whose packets were found.
  package var connections: Int = 0
  /// How much the capture's clock was ahead of the trace's; nil where it could not be told.
  package var clockOffsetSeconds: Double?
  /// Whose side is shown, and why packets may be missing.
  package var notes: [String] = []
  /// There is no trace beside it.
  package var isAlone: Bool = false
}
