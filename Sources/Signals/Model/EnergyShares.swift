/// Modelled energy of one function of the program.
public struct FunctionEnergy: Sendable, Hashable, Codable {
  /// The function.
  public var function: String
  /// Its part of the CPU energy, by samples.
  public var cpuJoules: Double
  /// Energy of the bursts it began.
  public var radioJoules: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    function: String,
    cpuJoules: Double = 0,
    radioJoules: Double = 0
  ) {
    self.function = function
    self.cpuJoules = cpuJoules
    self.radioJoules = radioJoules
  }

  /// The sum.
  public var joules: Double { cpuJoules + radioJoules }
}

/// Modelled energy of one thread.
public struct ThreadEnergy: Sendable, Hashable, Codable {
  /// Kernel thread id.
  public var tid: Int
  /// Thread name.
  public var name: String
  /// Its running time.
  public var cpuJoules: Double
  /// Its wakeups.
  public var wakeupJoules: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
