/// What the modelled radio did over the recording.
package struct RadioUse: Sendable, Hashable, Codable {
  /// Name of the radio profile.
  package var profile: String
  /// Seconds in each state, idle included.
  package var stateSeconds: [String: Double]
  /// Energy outside idle: the sum over the bursts.
  package var energyJoules: Double
  /// The part of it spent in tail states.
  package var tailEnergyJoules: Double
  /// Share of the recording in which the radio was not idle.
  package var dutyCycle: Double
  /// Energy of idle paging, which the process did not cause.
  package var idleJoules: Double
  /// Times the radio was promoted to its first state.
  package var promotions: Int
  /// Energy of one whole tail of this profile.
  package var fullTailJoules: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    profile: String = "",
    stateSeconds: [String: Double] = [:],
    energyJoules: Double = 0,
    tailEnergyJoules: Double = 0,
    dutyCycle: Double = 0,
    idleJoules: Double = 0,
    promotions: Int = 0,
    fullTailJoules: Double = 0
  ) {
    self.profile = profile
    self.stateSeconds = stateSeconds
    self.energyJoules = energyJoules
    self.tailEnergyJoules = tailEnergyJoules
    self.dutyCycle = dutyCycle
    self.idleJoules = idleJoules
    self.promotions = promotions
    self.fullTailJoules = fullTailJoules
  }
}
