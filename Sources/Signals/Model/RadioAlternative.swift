/// The same traffic on another radio.
public struct RadioAlternative: Sendable, Hashable, Codable {
  /// Name of the radio profile.
  public var profile: String
  /// Energy outside idle.
  public var energyJoules: Double = 0
  /// The part in tail states.
  public var tailEnergyJoules: Double = 0
  /// Share of the time out of idle.
  public var dutyCycle: Double = 0
}

/// The same traffic with another schedule.
public struct RadioReplaySaving: Sendable, Hashable, Codable {
  /// What was changed.
  public var change: String
  /// Most that a send was delayed.
  public var delaySeconds: Double = 0
  /// Bursts that are left.
  public var bursts: Int = 0
  /// Radio energy that is left.
  public var energyJoules: Double = 0
  /// Radio energy that is saved.
  public var savedJoules: Double = 0
  /// Sends that were delayed.
  public var movedSends: Int = 0
}
