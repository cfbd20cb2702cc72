/// The minute of a long recording in which a signal was at its worst.
package struct WorstMinute: Sendable, Codable, Equatable {
  /// `mainThread`, `cpu`, `wakeups`, `network`, `disk` or `memory`.
  package var signal: String
  /// Seconds from the start of the recording.
  package var start: Double
  /// How much of it there was in that minute, in `unit`.
  package var value: Double
  /// `s`, `1`, `B`.
  package var unit: String
  /// What the value counts, in words.
  package var what: String
}
