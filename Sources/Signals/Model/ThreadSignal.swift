/// What one thread of the process cost.
package struct ThreadSignal: Sendable, Equatable {
  /// Kernel thread id.
  package var tid: Int
  /// Thread name.
  package var name: String
  /// Part it plays.
  package var role: ThreadRole
  /// Time on a CPU.
  package var cpuSeconds: Double
  /// Times it was made runnable.
  package var wakeups: Int
  /// Wakeups made in interrupt context.
  package var idleWakeups: Int
  /// Those of them that found their CPU idle.
  package var idleWakeupsFoundCPUIdle: Int
  /// Time blocked.
  package var blockedSeconds: Double

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
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
