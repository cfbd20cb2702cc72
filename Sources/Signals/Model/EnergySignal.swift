/// Energy of the recording by consumer, in joules.
package struct EnergySignal: Sendable, Hashable, Codable {
  /// Sum of the parts, or a counter's figure when measured.
  package var totalJoules: Double
  /// Busy cores.
  package var cpuJoules: Double
  /// Wakeups.
  package var wakeupJoules: Double
  /// Modelled radio.
  package var radioJoules: Double
  /// Disk operations.
  package var diskJoules: Double
  /// modelled, or measured where a counter gave it.
  package var kind: String
  /// Least of what the models give.
  package var low: Double?
  /// Most of what the models give.
  package var high: Double?
  /// What a counter of the machine gave for all processes together.
  package var measuredJoules: Double?
  /// Name of that counter.
  package var measuredBy: String?
  /// CPU and wakeups by thread, most first.
  package var byThread: [ThreadEnergy]
  /// CPU and radio by function of the program, most first.
  package var byFunction: [FunctionEnergy]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    totalJoules: Double = 0,
    cpuJoules: Double = 0,
    wakeupJoules: Double = 0,
    radioJoules: Double = 0,
    diskJoules: Double = 0,
    kind: String = "modelled",
    low: Double? = nil,
    high: Double? = nil,
    measuredJoules: Double? = nil,
    measuredBy: String? = nil,
    byThread: [ThreadEnergy] = [],
    byFunction: [FunctionEnergy] = []
  ) {
    self.totalJoules = totalJoules
    self.cpuJoules = cpuJoules
    self.wakeupJoules = wakeupJoules
    self.radioJoules = radioJoules
    self.diskJoules = diskJoules
    self.kind = kind
    self.low = low
    self.high = high
    self.measuredJoules = measuredJoules
    self.measuredBy = measuredBy
    self.byThread = byThread
    self.byFunction = byFunction
  }
}
