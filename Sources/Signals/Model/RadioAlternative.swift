/// The same traffic on another radio.
package struct RadioAlternative: Sendable, Hashable, Codable {
  /// Name of the radio profile.
  package var profile: String
  /// Energy outside idle.
  package var energyJoules: Double
  /// The part in tail states.
  package var tailEnergyJoules: Double
  /// Share of the time out of idle.
  package var dutyCycle: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
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
package struct RadioReplaySaving: Sendable, Hashable, Codable {
  /// What was changed.
  package var change: String
  /// Most that a send was delayed.
  package var delaySeconds: Double
  /// Bursts that are left.
  package var bursts: Int
  /// Radio energy that is left.
  package var energyJoules: Double
  /// Radio energy that is saved.
  package var savedJoules: Double
  /// Sends that were delayed.
  package var movedSends: Int

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
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
