import TraceModel

/// Which functions caused what was measured: one table for each signal.
public struct BlameTables: Sendable, Hashable, Codable {
  /// CPU time, from samples of the running threads.
  public var cpu: [BlameRow] = []
  /// Blocked time by cause.
  public var blocked: [BlameRow] = []
  /// Times a thread was made runnable, by where it had waited.
  public var wakeups: [BlameRow] = []
  /// Writes to files and syncs.
  public var disk: [BlameRow] = []
  /// Sends on internet sockets.
  public var network: [BlameRow] = []
  /// Of each table's samples the share whose stack ends in a gap or has one.
  public var gapShare: [String: Double] = [:]

  /// Nothing is blamed yet.
  public init() {}
}

/// What one function is to blame for.
///
/// *Self* is charged to the innermost function of the program's own code: what it does itself, and what the system and
/// the Swift runtime do for it. *Inclusive* counts wherever the function is on the stack.
public struct BlameRow: Sendable, Hashable, Codable {
  /// Demangled name, or module and offset where there is none.
  public var function: String
  /// Path of the library or executable.
  public var module: String = ""
  /// Source file of the line that cost most, where line tables were found.
  public var file: String?
  /// That line.
  public var line: Int?
  /// What was waited for, in the table of blocked time.
  public var cause: WaitCause?
  /// Seconds charged to the function.
  public var selfSeconds: Double = 0
  /// Seconds with the function on the stack.
  public var inclusiveSeconds: Double = 0
  /// Samples, waits, wakeups, writes or sends charged to the function.
  public var count: Double = 0
  /// The same with the function on the stack.
  public var inclusiveCount: Double = 0
  /// Bytes written or sent, charged to the function.
  public var bytes: Double = 0
  /// The same with the function on the stack.
  public var inclusiveBytes: Double = 0
  /// Modelled energy of what is charged to the function.
  public var joules: Double = 0
}
