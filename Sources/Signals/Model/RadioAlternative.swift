/// The same traffic on another radio.
package struct RadioAlternative: Sendable, Equatable {
  /// Name of the radio profile.
  package var profile: String
  /// Energy outside idle.
  package var energyJoules: Double = 0
  /// The part in tail states.
  package var tailEnergyJoules: Double = 0
  /// Share of the time out of idle.
  package var dutyCycle: Double = 0
}

/// The same traffic with another schedule.
package struct RadioReplaySaving: Sendable, Equatable {
  /// What was changed.
  package var change: String
  /// Most that a send was delayed.
  package var delaySeconds: Double = 0
  /// Bursts that are left.
  package var bursts: Int = 0
  /// Radio energy that is left.
  package var energyJoules: Double = 0
  /// Radio energy that is saved.
  package var savedJoules: Double = 0
  /// Sends that were delayed.
  package var movedSends: Int = 0
}
