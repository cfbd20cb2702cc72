import PerfData
import Quantities

/// Bytes passed to or from a socket.
public struct Transfer: Sendable {
  public enum Direction: Sendable { case send, receive }

  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var direction: Direction
  public var bytes: UInt64
  /// How many transfers this one stands for: above 1 where the recorder sampled.
  public var weight: UInt64
  /// The kernel's socket address: an identity, not a place.
  public var socket: UInt64
  /// AF_INET is 2, AF_INET6 is 10, AF_UNIX is 1.
  public var family: Int
  public var transportProtocol: Int
  /// Index into `Trace.stacks`, where the stack of this send was taken.
  public var stack: Int?
  /// Index into `Trace.connections`, where the connection's states were seen.
  public var connection: Int?
  /// It was recorded as one of many, none of which was recorded by itself.
  public var isSample = false

  public var isInternet: Bool { Self.isInternet(family) }

  static func isInternet(_ family: Int) -> Bool { family == 2 || family == 10 }
}
