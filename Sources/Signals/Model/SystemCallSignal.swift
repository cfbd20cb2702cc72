/// How often a thread made a system call, and how long it took.
public struct SystemCallSignal: Sendable, Hashable, Codable {
  /// Kernel thread id.
  public var tid: Int
  /// Thread name.
  public var thread: String
  /// The call's name.
  public var call: String
  /// Calls that came back.
  public var count: Int
  /// Those that came back with an error.
  public var errors: Int
  /// From beginning to end, of all calls together; nil where beginnings were not recorded.
  public var seconds: Double?
  /// The shortest call.
  public var shortestSeconds: Double?
  /// The mean of the calls.
  public var meanSeconds: Double?
  /// The longest call.
  public var longestSeconds: Double?
}
