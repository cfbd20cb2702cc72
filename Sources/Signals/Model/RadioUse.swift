/// What the modelled radio did over the recording.
public struct RadioUse: Sendable, Hashable, Codable {
  /// Name of the radio profile.
  public var profile: String
  /// Seconds of the recording in each state, idle included.
  public var stateSeconds: [String: Double]
  /// Energy outside idle: the sum over the bursts, to the ends of their tails.
  public var energyJoules: Double
  /// The part of it spent in tail states.
  public var tailEnergyJoules: Double
  /// Share of the recording in which the radio was not idle.
  public var dutyCycle: Double
  /// Energy of idle paging, which the process did not cause.
  public var idleJoules: Double
  /// Times the radio was promoted to its first state.
  public var promotions: Int
  /// Energy of one whole tail of this profile.
  public var fullTailJoules: Double
  /// How long after the end of the recording the radio stays out of idle.
  public var secondsAfterEnd: Double
  /// The part of the energy that is spent then.
  public var joulesAfterEnd: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
