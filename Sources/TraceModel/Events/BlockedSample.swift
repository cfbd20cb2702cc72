import Quantities

/// Time that a thread did not run, told as one sum or one wait by a trace that has no switches.
public struct BlockedSample: Sendable {
  /// When the sum was told, or the wait ended.
  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var stack: Int?
  public var cause: WaitCause
  public var length: TimeSpan
}
