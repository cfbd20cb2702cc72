import TraceModel

/// A thread on which others depend: the main thread, an event loop, one of the cooperative pool.
package struct CriticalThread: Sendable, Hashable, Codable {
  /// Kernel thread id.
  package var tid: Int
  /// Thread name.
  package var name: String
  /// The part it plays.
  package var role: ThreadRole
  /// Times it left its event wait.
  package var turns: Int
  /// The longest time between two event waits; for the pool, that a task blocked it.
  package var longestTurnSeconds: Double
  /// On a CPU.
  package var runningSeconds: Double
  /// Waiting for a CPU.
  package var runnableSeconds: Double
  /// In event waits.
  package var idleSeconds: Double
  /// Blocked while it had work to do.
  package var blockedSeconds: Double
  /// Blocked seconds by cause.
  package var blockedByCause: [WaitCause: Double]
  /// The same grouped by cause and stack, worst first.
  package var blockings: [Blocking]
  /// How many of its waits were recorded.
  package var waitSampling: WaitSampling

  /// Makes the value from its parts; what is left out is zero or empty.
  package init(
    tid: Int, name: String = "", role: ThreadRole, turns: Int = 0,
    longestTurnSeconds: Double = 0, runningSeconds: Double = 0, runnableSeconds: Double = 0,
    idleSeconds: Double = 0, blockedSeconds: Double = 0, blockedByCause: [WaitCause: Double] = [:],
    blockings: [Blocking] = [],
    waitSampling: WaitSampling = .whole
  ) {
    self.tid = tid
    self.name = name
    self.role = role
    self.turns = turns
    self.longestTurnSeconds = longestTurnSeconds
    self.runningSeconds = runningSeconds
    self.runnableSeconds = runnableSeconds
    self.idleSeconds = idleSeconds
    self.blockedSeconds = blockedSeconds
    self.blockedByCause = blockedByCause
    self.blockings = blockings
    self.waitSampling = waitSampling
  }
}
