import PerfData
import Quantities

/// A send that the kernel refused, or several alike in a row.
public struct TransferFailure: Sendable {
  public var time: Timestamp
  public var pid: Int32
  /// Index into `Trace.connections`, where it is known.
  public var connection: Int?
  /// The error's number.
  public var error: Int
  /// How many it stands for.
  public var weight: UInt64 = 1
}
