import TraceModel

/// Which functions caused what was measured: one table for each signal.
public struct BlameTables: Sendable, Hashable, Codable {
  /// CPU time, from samples of the running threads.
  public var cpu: [BlameRow]
  /// Blocked time by cause.
  public var blocked: [BlameRow]
  /// Times a thread was made runnable, by where it had waited.
  public var wakeups: [BlameRow]
  /// Writes to files and syncs.
  public var disk: [BlameRow]
  /// Sends on internet sockets.
  public var network: [BlameRow]
  /// Of each table's samples the share whose stack ends in a gap or has one.
  public var gapShare: [String: Double]

  /// Makes the value from its parts; what is left out is empty.
  public init(
    cpu: [BlameRow] = [], blocked: [BlameRow] = [], wakeups: [BlameRow] = [],
    disk: [BlameRow] = [], network: [BlameRow] = [], gapShare: [String: Double] = [:]
  ) {
    self.cpu = cpu
    self.blocked = blocked
    self.wakeups = wakeups
    self.disk = disk
    self.network = network
    self.gapShare = gapShare
  }
}

/// What one function is to blame for.
///
/// *Self* is charged to the innermost function of the program's own code: what it does itself, and what the system and
/// the Swift runtime do for it. *Inclusive* counts wherever the function is on the stack.
public struct BlameRow: Sendable, Hashable, Codable {
  /// Demangled name, or module and offset where there is none.
  public var function: String
  /// Path of the library or executable.
  public var module: String
  /// Source file of the line that cost most, where line tables were found.
  public var file: String?
  /// That line.
  public var line: Int?
  /// What was waited for, in the table of blocked time.
  public var cause: WaitCause?
  /// Seconds charged to the function.
  public var selfSeconds: Double
  /// Seconds with the function on the stack.
  public var inclusiveSeconds: Double
  /// Samples, waits, wakeups, writes or sends charged to the function.
  public var count: Double
  /// The same with the function on the stack.
  public var inclusiveCount: Double
  /// Bytes written or sent, charged to the function.
  public var bytes: Double
  /// The same with the function on the stack.
  public var inclusiveBytes: Double
  /// Modelled energy of what is charged to the function.
  public var joules: Double

  /// Makes the value from its parts; what is left out is zero or unknown.
  public init(
    function: String, module: String = "", file: String? = nil, line: Int? = nil,
    cause: WaitCause? = nil, selfSeconds: Double = 0, inclusiveSeconds: Double = 0,
    count: Double = 0, inclusiveCount: Double = 0, bytes: Double = 0, inclusiveBytes: Double = 0,
    joules: Double = 0
  ) {
    self.function = function
    self.module = module
    self.file = file
    self.line = line
    self.cause = cause
    self.selfSeconds = selfSeconds
    self.inclusiveSeconds = inclusiveSeconds
    self.count = count
    self.inclusiveCount = inclusiveCount
    self.bytes = bytes
    self.inclusiveBytes = inclusiveBytes
    self.joules = joules
  }
}
