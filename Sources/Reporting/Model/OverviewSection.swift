/// The recording in a few equal columns; a signal that was not measured has none.
public struct OverviewSection: Codable, Sendable, Equatable {
  public var secondsPerColumn: Double
  /// Share of the column in which the main thread was not idle.
  public var mainThreadBusy: [Double]
  /// Cores in use.
  public var cores: [Double]
  public var wakeups: [Double]
  public var networkBytes: [Double]
  public var diskBytes: [Double]
  public var footprintBytes: [Double]
}
