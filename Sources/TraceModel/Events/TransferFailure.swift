import PerfData
import Quantities

/// A send that the kernel refused.
public struct TransferFailure: Sendable {
  public var time: Timestamp
  public var pid: Int32
  /// Index into `Trace.connections`, where it is known.
  public var connection: Int?
  /// The error's number.
  public var error: Int
}
