/// Modelled energy of one function of the program.
package struct FunctionEnergy: Sendable, Hashable, Codable {
  /// The function.
  package var function: String
  /// Its part of the CPU energy, by samples.
  package var cpuJoules: Double = 0
  /// Energy of the bursts it began.
  package var radioJoules: Double = 0

  /// The sum.
  package var joules: Double { cpuJoules + radioJoules }
}

/// Modelled energy of one thread.
package struct ThreadEnergy: Sendable, Hashable, Codable {
  /// Kernel thread id.
  package var tid: Int
  /// Thread name.
  package var name: String = ""
  /// Its running time.
  package var cpuJoules: Double = 0
  /// Its wakeups.
  package var wakeupJoules: Double = 0
}
