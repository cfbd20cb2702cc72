/// Modelled energy of one function of the program.
package struct FunctionEnergy: Sendable, Hashable, Codable {
  /// The function.
  package var function: String
  /// Its part of the CPU energy, by samples.
  package var cpuJoules: Double
  /// Energy of the bursts it began.
  package var radioJoules: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    function: String,
    cpuJoules: Double = 0,
    radioJoules: Double = 0
  ) {
    self.function = function
    self.cpuJoules = cpuJoules
    self.radioJoules = radioJoules
  }

  /// The sum.
  package var joules: Double { cpuJoules + radioJoules }
}

/// Modelled energy of one thread.
package struct ThreadEnergy: Sendable, Hashable, Codable {
  /// Kernel thread id.
  package var tid: Int
  /// Thread name.
  package var name: String
  /// Its running time.
  package var cpuJoules: Double
  /// Its wakeups.
  package var wakeupJoules: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    tid: Int,
    name: String = "",
    cpuJoules: Double = 0,
    wakeupJoules: Double = 0
  ) {
    self.tid = tid
    self.name = name
    self.cpuJoules = cpuJoules
    self.wakeupJoules = wakeupJoules
  }
}
