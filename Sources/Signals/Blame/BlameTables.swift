import TraceModel

/// Which functions caused what was measured: one table for each signal.
package struct BlameTables: Sendable, Equatable {
  /// CPU time, from samples of the running threads.
  package var cpu: [BlameRow] = []
  /// The same of the processes that it started.
  package var cpuOfChildren: [BlameRow] = []
  /// Reads of files, of 64 KiB or more each where smaller ones were not recorded.
  package var reads: [BlameRow] = []
  /// System calls, by kind.
  package var calls: [FunctionCall] = []
  /// The event whose shares the rows of `cpu` count, where no time is known.
  package var cpuEvent: String?
  /// Blocked time by cause.
  package var blocked: [BlameRow] = []
  /// Times a thread was made runnable, by where it had waited.
  package var wakeups: [BlameRow] = []
  /// Writes to files and syncs.
  package var disk: [BlameRow] = []
  /// Sends on internet sockets.
  package var network: [BlameRow] = []
  /// What was spent for each function.
  package var energy: [String: EnergyParts] = [:]
  /// Of each table's samples the share whose stack ends in a gap or has one.
  package var gapShare: [String: Double] = [:]

  /// Nothing is blamed yet.
  package init() {}
}

/// What one function is to blame for.
///
/// *Self* is charged to the innermost function of the program's own code: what it does itself, and what the system and
/// the Swift runtime do for it. *Inclusive* counts wherever the function is on the stack.
package struct BlameRow: Sendable, Equatable {
  /// Demangled name, or module and offset where there is none.
  package var function: String
  /// Path of the library or executable.
  package var module: String = ""
  /// Source file of the line that cost most, where line tables were found.
  package var file: String?
  /// That line.
  package var line: Int?
  /// What was waited for, in the table of blocked time.
  package var cause: WaitCause?
  /// Seconds charged to the function, without what `untimed` counts.
  package var selfSeconds: Double = 0
  /// Seconds with the function on the stack.
  package var inclusiveSeconds: Double = 0
  /// Samples, waits, wakeups, writes or sends charged to the function.
  package var count: Double = 0
  /// The same with the function on the stack.
  package var inclusiveCount: Double = 0
  /// Syncs charged to the function, in the table of writes, whose `count` leaves them out.
  package var syncs: Double = 0
  /// Syncs charged to the function of which it is not known how long they took.
  package var untimed: Double = 0
  /// Samples of running threads that are charged to the function, in the table of CPU time; 0 in the others.
  package var samples = 0
  /// Samples that a clock would have given there, had it been allowed to.
  package var untakenSamples = 0
  /// Bytes written or sent, charged to the function.
  package var bytes: Double = 0
  /// The same with the function on the stack.
  package var inclusiveBytes: Double = 0
  /// Modelled energy of what is charged to the function.
  package var joules: Double = 0
}
