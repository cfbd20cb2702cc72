/// CPU time of the whole process, as shares of one core.
package struct CPUSignal: Sendable, Equatable {
  /// CPU time.
  package var totalSeconds: Double
  /// The part in user mode.
  package var userSeconds: Double?
  /// The part in the kernel.
  package var systemSeconds: Double?
  /// Median share over windows of a second; above 1 when several cores were used.
  package var medianShare: Double
  /// 95th percentile of the same.
  package var p95Share: Double
  /// Highest share over any 60 s; zero for a shorter recording.
  package var shareOver60s: Double
  /// Time in which the main thread sat in its event wait.
  package var idleSeconds: Double?
  /// CPU time of the other threads meanwhile.
  package var idleCPUSeconds: Double?
  /// Time that threads were blocked by page faults.
  package var majorFaultSeconds: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    totalSeconds: Double = 0,
    userSeconds: Double? = nil,
    systemSeconds: Double? = nil,
    medianShare: Double = 0,
    p95Share: Double = 0,
    shareOver60s: Double = 0,
    idleSeconds: Double? = nil,
    idleCPUSeconds: Double? = nil,
    majorFaultSeconds: Double = 0
  ) {
    self.totalSeconds = totalSeconds
    self.userSeconds = userSeconds
    self.systemSeconds = systemSeconds
    self.medianShare = medianShare
    self.p95Share = p95Share
    self.shareOver60s = shareOver60s
    self.idleSeconds = idleSeconds
    self.idleCPUSeconds = idleCPUSeconds
    self.majorFaultSeconds = majorFaultSeconds
  }
}
