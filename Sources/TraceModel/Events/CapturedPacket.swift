import PerfData
import Quantities

/// A packet of a capture that belongs to one of the trace's connections.
public struct CapturedPacket: Sendable, Hashable {
  public var time: Timestamp
  public var direction: Transfer.Direction
  /// Payload bytes.
  public var payload: UInt64
  /// Bytes of IP and TCP or UDP headers; all of a bare acknowledgement.
  public var headers: UInt64
  /// Index into `Trace.connections`.
  public var connection: Int
  /// It repeats what was sent before.
  public var isRetransmission: Bool
  /// Index into `Trace.stacks`: where the send was made that it carries.
  public var stack: Int?
}

/// What became of a capture that was read beside a trace, or instead of one.
public struct PacketSource: Sendable, Hashable {
  /// The capture's file.
  public var path: String
  /// Packets in it, of whatever kind.
  public var packets: Int
  /// Packets of the process's connections.
  public var matched: Int
  /// TCP and UDP packets of others.
  public var ofOthers: Int
  /// Packets that repeat what was sent before.
  public var retransmissions: Int
  /// Connections whose packets were found.
  public var connections: Int
  /// How much the capture's clock was ahead of the trace's, by the openings of connections; nil where none was seen.
  public var clockOffsetSeconds: Double?
  /// Why packets may be missing.
  public var notes: [String] = []
  /// There is no trace beside it.
  public var isAlone = false
}
