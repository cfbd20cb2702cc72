/// Which functions caused what was measured, the costliest first.
public struct BlameSection: Codable, Sendable, Equatable {
  /// CPU time.
  public var cpu: [BlameRowSection]
  /// Blocked time by cause.
  public var blocked: [BlameRowSection]
  /// Times a thread was made runnable, by where it had waited.
  public var wakeups: [BlameRowSection]
  /// Writes to files and syncs.
  public var disk: [BlameRowSection]
  /// Sends on internet sockets.
  public var network: [BlameRowSection]
  /// Of each table's samples the share whose stack has a gap.
  public var gapShare: [String: Double]
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
public struct BlameRowSection: Codable, Sendable, Equatable {
  public var function: String
  public var module: String
  @Nullable public var file: String?
  @Nullable public var line: Int?
  /// Why it was blocked, in the table of blocked time.
  @Nullable public var cause: String?
  public var selfSeconds: Double
  public var inclusiveSeconds: Double
  public var count: Double
  public var inclusiveCount: Double
  public var bytes: Double
  public var inclusiveBytes: Double
  public var joules: Double
}
