/// Timer wakeups replayed with a tolerance.
package struct CoalescingSignal: Sendable, Equatable {
  /// Tolerance of each wakeup, as a share of the time since the last one of its thread.
  package var toleranceShare: Double
  /// Timer wakeups as they were.
  package var timerWakeups: Int
  /// Wakes of the CPU that are left when those that may are joined.
  package var remaining: Int
  /// Median time between two timer wakeups of the process.
  package var medianIdleGapSeconds: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    toleranceShare: Double = 0.1,
    timerWakeups: Int = 0,
    remaining: Int = 0,
    medianIdleGapSeconds: Double = 0
  ) {
    self.toleranceShare = toleranceShare
    self.timerWakeups = timerWakeups
    self.remaining = remaining
    self.medianIdleGapSeconds = medianIdleGapSeconds
  }

  /// Wakeups that could have shared another's.
  package var avoidable: Int { max(0, timerWakeups - remaining) }
}
