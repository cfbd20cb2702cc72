import Signals

/// Which functions caused what was measured, the costliest first.
package struct BlameSection: Codable, Sendable, Equatable {
  /// CPU time.
  package var cpu: [BlameRowSection]
  /// CPU time of the processes that it started, whoever of them used it; left out where it started none.
  package var cpuOfChildren: [BlameRowSection]?
  /// Reads of files, of 64 KiB or more each where smaller ones were not recorded; left out where there were none, or
  /// none with a stack.
  package var reads: [BlameRowSection]?
  /// System calls by function and kind, those that were waited in longest first; left out where none is known.
  package var calls: [FunctionCall]?
  /// The event whose counts the rows of `cpu` have, where samples tell shares and no time; left out elsewhere.
  package var cpuEvent: String?
  /// Blocked time by cause.
  package var blocked: [BlameRowSection]
  /// Times a thread was made runnable, by where it had waited.
  package var wakeups: [BlameRowSection]
  /// Writes to files and syncs.
  package var disk: [BlameRowSection]
  /// Sends on internet sockets.
  package var network: [BlameRowSection]
  /// Of each table's samples the share whose stack has a gap.
  package var gapShare: [String: Double]
}

extension KeyedDecodingContainer {
  /// Reads the tables, or empty ones where there is no such key, as in a report of an older version.
  func decode(_ type: BlameSection.Type, forKey key: Key) throws -> BlameSection {
    try decodeIfPresent(type, forKey: key)
      ?? BlameSection(cpu: [], blocked: [], wakeups: [], disk: [], network: [], gapShare: [:])
  }
}

/// What one function is to blame for.
///
/// Charged to it (`selfSeconds`, `count`, `bytes`, `joules`) is what it did as the innermost function of the program's
/// own code; what is inclusive counts wherever it is on the stack.
package struct BlameRowSection: Codable, Sendable, Equatable {
  package var function: String
  package var module: String
  @Nullable package var file: String?
  @Nullable package var line: Int?
  /// Why it was blocked, in the table of blocked time.
  @Nullable package var cause: String?
  package var selfSeconds: Double
  /// Between what limits `selfSeconds` lies, at 95 %, where it was told by samples.
  @Nullable package var selfSecondsInterval: [Double]?
  /// How many samples tell of it, in the table of CPU time.
  @Nullable package var samples: Int?
  package var inclusiveSeconds: Double
  package var count: Double
  package var inclusiveCount: Double
  /// Syncs charged to it, in the table of writes, whose `count` leaves them out; left out where there are none.
  package var syncs: Double? = nil
  /// Syncs charged to it of which it is not known how long they took, which are not among its seconds; left out where
  /// there are none.
  package var untimed: Double? = nil
  package var bytes: Double
  package var inclusiveBytes: Double
  package var joules: Double
}

extension BlameRowSection {
  /// As many digits as the number of its samples bears out.
  var digits: Int { samples.map { $0 < 1000 ? 2 : 3 } ?? 3 }
}
