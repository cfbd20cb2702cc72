/// The same traffic on another radio.
public struct RadioAlternative: Sendable, Hashable, Codable {
  /// Name of the radio profile.
  public var profile: String
  /// Energy outside idle.
  public var energyJoules: Double
  /// The part in tail states.
  public var tailEnergyJoules: Double
  /// Share of the time out of idle.
  public var dutyCycle: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    profile: String,
    energyJoules: Double = 0,
    tailEnergyJoules: Double = 0,
    dutyCycle: Double = 0
  ) {
    self.profile = profile
    self.energyJoules = energyJoules
    self.tailEnergyJoules = tailEnergyJoules
    self.dutyCycle = dutyCycle
  }
}

/// The same traffic with another schedule.
public struct RadioReplaySaving: Sendable, Hashable, Codable {
  /// What was changed.
  public var change: String
  /// Most that a send was delayed.
  public var delaySeconds: Double
  /// Bursts that are left.
  public var bursts: Int
  /// Radio energy that is left.
  public var energyJoules: Double
  /// Radio energy that is saved.
  public var savedJoules: Double
  /// Sends that were delayed.
  public var movedSends: Int

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    change: String,
    delaySeconds: Double = 0,
    bursts: Int = 0,
    energyJoules: Double = 0,
    savedJoules: Double = 0,
    movedSends: Int = 0
  ) {
    self.change = change
    self.delaySeconds = delaySeconds
    self.bursts = bursts
    self.energyJoules = energyJoules
    self.savedJoules = savedJoules
    self.movedSends = movedSends
  }
}
