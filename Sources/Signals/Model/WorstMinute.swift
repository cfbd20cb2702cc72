/// The minute of a long recording in which a signal was at its worst.
public struct WorstMinute: Sendable, Hashable, Codable {
  /// `mainThread`, `cpu`, `wakeups`, `network`, `disk` or `memory`.
  public var signal: String
  /// Seconds from the start of the recording.
  public var start: Double
  /// How much of it there was in that minute, in `unit`.
  public var value: Double
  /// `s`, `1`, `B`.
  public var unit: String
  /// What the value counts, in words.
  public var what: String
}
