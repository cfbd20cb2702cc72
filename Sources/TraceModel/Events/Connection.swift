import PerfData
import Quantities

/// A TCP connection as its state changes told it.
public struct Connection: Sendable {
  public var socket: UInt64
  public var transportProtocol: Int
  public var local: String
  public var remote: String
  public var isLoopback: Bool
  public var opened: Timestamp?
  public var closed: Timestamp?
  public var isServerSide: Bool
  /// Who opened it, or carried something over it first, or accepted it.
  public var pid: Int32?
  /// When the handshake was done.
  public var established: Timestamp?
  /// When this end said that it sends no more (FIN), or gave it up. The other end may close it much later.
  public var finished: Timestamp?
  /// Others that carried something over it: it was left to them by who had it.
  public var heirs: Set<Int32> = []

  /// Whether a process has, or had, it.
  public func isOf(_ process: Int32) -> Bool { pid == process || heirs.contains(process) }

  /// Whether it ended before its handshake did.
  public var hasFailed: Bool { opened != nil && established == nil && closed != nil }
}

/// A socket that waits for connections.
public struct Listener: Sendable {
  public var pid: Int32
  public var local: String
  public var opened: Timestamp?
  public var closed: Timestamp?
}
