/// The recording in a few equal columns; a signal that was not measured has none.
package struct OverviewSection: Codable, Sendable, Equatable {
  /// When the first column begins, in seconds from the recording's start; only of a window of it.
  package var start: Double?
  package var secondsPerColumn: Double
  /// Share of the column in which the main thread was not idle.
  package var mainThreadBusy: [Double]
  /// Cores in use.
  package var cores: [Double]
  package var wakeups: [Double]
  package var networkBytes: [Double]
  package var diskBytes: [Double]
  package var footprintBytes: [Double]
}
