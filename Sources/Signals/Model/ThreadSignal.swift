/// What one thread of the process cost.
public struct ThreadSignal: Sendable, Hashable, Codable {
  /// Kernel thread id.
  public var tid: Int
  /// Thread name.
  public var name: String
  /// Part it plays.
  public var role: ThreadRole
  /// Time on a CPU.
  public var cpuSeconds: Double
  /// Times it was made runnable.
  public var wakeups: Int
  /// Wakeups made in interrupt context.
  public var idleWakeups: Int
  /// Those of them that found their CPU idle.
  public var idleWakeupsFoundCPUIdle: Int
  /// Time blocked.
  public var blockedSeconds: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    tid: Int,
    name: String = "",
    role: ThreadRole = .other,
    cpuSeconds: Double = 0,
    wakeups: Int = 0,
    idleWakeups: Int = 0,
    idleWakeupsFoundCPUIdle: Int? = nil,
    blockedSeconds: Double = 0
  ) {
    self.tid = tid
    self.name = name
    self.role = role
    self.cpuSeconds = cpuSeconds
    self.wakeups = wakeups
    self.idleWakeups = idleWakeups
    self.idleWakeupsFoundCPUIdle = idleWakeupsFoundCPUIdle ?? idleWakeups
    self.blockedSeconds = blockedSeconds
  }
}
