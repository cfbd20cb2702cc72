/// Modelled energy of one function of the program.
public struct FunctionEnergy: Sendable, Hashable, Codable {
  /// The function.
  public var function: String
  /// Its part of the CPU energy, by samples.
  public var cpuJoules: Double = 0
  /// Energy of the bursts it began.
  public var radioJoules: Double = 0

  /// The sum.
  public var joules: Double { cpuJoules + radioJoules }
}

/// Modelled energy of one thread.
public struct ThreadEnergy: Sendable, Hashable, Codable {
  /// Kernel thread id.
  public var tid: Int
  /// Thread name.
  public var name: String = ""
  /// Its running time.
  public var cpuJoules: Double = 0
  /// Its wakeups.
  public var wakeupJoules: Double = 0
}
