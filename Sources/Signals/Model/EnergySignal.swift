/// Energy of the recording by consumer, in joules.
public struct EnergySignal: Sendable, Hashable, Codable {
  /// Sum of the parts, or a counter's figure when measured.
  public var totalJoules: Double
  /// Busy cores.
  public var cpuJoules: Double
  /// Wakeups.
  public var wakeupJoules: Double
  /// Modelled radio.
  public var radioJoules: Double
  /// Disk operations.
  public var diskJoules: Double
  /// modelled, or measured where a counter gave it.
  public var kind: String

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    totalJoules: Double = 0,
    cpuJoules: Double = 0,
    wakeupJoules: Double = 0,
    radioJoules: Double = 0,
    diskJoules: Double = 0,
    kind: String = "modelled"
  ) {
    self.totalJoules = totalJoules
    self.cpuJoules = cpuJoules
    self.wakeupJoules = wakeupJoules
    self.radioJoules = radioJoules
    self.diskJoules = diskJoules
    self.kind = kind
  }
}
