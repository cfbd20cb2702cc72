/// What the modelled radio did over the recording.
package struct RadioUse: Sendable, Equatable {
  /// Name of the radio profile.
  package var profile: String
  /// Seconds of the recording in each state, idle included.
  package var stateSeconds: [String: Double]
  /// Energy outside idle: the sum over the bursts, to the ends of their tails.
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
  /// How long after the end of the recording the radio stays out of idle.
  package var secondsAfterEnd: Double
  /// The part of the energy that is spent then.
  package var joulesAfterEnd: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    profile: String = "",
    stateSeconds: [String: Double] = [:],
    energyJoules: Double = 0,
    tailEnergyJoules: Double = 0,
    dutyCycle: Double = 0,
    idleJoules: Double = 0,
    promotions: Int = 0,
    fullTailJoules: Double = 0,
    secondsAfterEnd: Double = 0,
    joulesAfterEnd: Double = 0
  ) {
    self.profile = profile
    self.stateSeconds = stateSeconds
    self.energyJoules = energyJoules
    self.tailEnergyJoules = tailEnergyJoules
    self.dutyCycle = dutyCycle
    self.idleJoules = idleJoules
    self.promotions = promotions
    self.fullTailJoules = fullTailJoules
    self.secondsAfterEnd = secondsAfterEnd
    self.joulesAfterEnd = joulesAfterEnd
  }
}
