/// How often a thread made a system call, and how long it took.
package struct SystemCallSignal: Sendable, Equatable {
  /// Kernel thread id.
  package var tid: Int
  /// Thread name.
  package var thread: String
  /// The call's name.
  package var call: String
  /// Calls that came back.
  package var count: Int
  /// Those that came back with an error.
  package var errors: Int
  /// From beginning to end, of all calls together; nil where beginnings were not recorded.
  package var seconds: Double?
  /// The shortest call.
  package var shortestSeconds: Double?
  /// The mean of the calls.
  package var meanSeconds: Double?
  /// The longest call.
  package var longestSeconds: Double?
}
