import Quantities
import TraceModel

/// How long the turns of an event loop were, in seconds: what half, 95 and 99 of a hundred of them did not exceed. Nil
/// where there were too few to tell: fewer than ten for each that would exceed it.
package struct TurnLengths: Sendable, Equatable {
  package var median: Double?
  package var p95: Double?
  package var p99: Double?

  package init(_ lengths: SpanHistogram) {
    func quantile(_ share: Double) -> Double? {
      (1 - share) * Double(lengths.count) >= 9.999 ? lengths.quantile(share) : nil
    }
    median = quantile(0.5)
    p95 = quantile(0.95)
    p99 = quantile(0.99)
  }
}

/// A thread on which others depend: the main thread, an event loop, one of the cooperative pool.
package struct CriticalThread: Sendable, Equatable {
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
  /// How long its turns were; nil of the pool, whose threads have none.
  package var turnLengths: TurnLengths?
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
    longestTurnSeconds: Double = 0, turnLengths: TurnLengths? = nil, runningSeconds: Double = 0,
    runnableSeconds: Double = 0,
    idleSeconds: Double = 0, blockedSeconds: Double = 0, blockedByCause: [WaitCause: Double] = [:],
    blockings: [Blocking] = [],
    waitSampling: WaitSampling = .whole
  ) {
    self.tid = tid
    self.name = name
    self.role = role
    self.turns = turns
    self.longestTurnSeconds = longestTurnSeconds
    self.turnLengths = turnLengths
    self.runningSeconds = runningSeconds
    self.runnableSeconds = runnableSeconds
    self.idleSeconds = idleSeconds
    self.blockedSeconds = blockedSeconds
    self.blockedByCause = blockedByCause
    self.blockings = blockings
    self.waitSampling = waitSampling
  }
}

/// Waits of which it is not known whether tasks on the cooperative pool made them: their stacks were taken in part.
package struct UntoldTaskWaits: Sendable, Equatable {
  /// Seconds by cause, of each worker by its kernel thread id.
  package var byThread: [Int: [WaitCause: Double]] = [:]

  /// Less matters to no rule.
  private static let least = 0.05

  /// None.
  package init() {}

  /// Of the worker that waited longest for some causes.
  package func mostSeconds(waitingFor causes: [WaitCause]) -> Double {
    byThread.values.map { waits in causes.reduce(0) { $0 + (waits[$1] ?? 0) } }.max() ?? 0
  }

  /// What is to be said of it; nil where it is too little to matter.
  package func doubt(of causes: [WaitCause]) -> String? {
    let seconds = mostSeconds(waitingFor: causes)
    guard seconds >= Self.least else { return nil }
    return "of \(Figures.seconds(seconds)) that a worker waited it is not known whether in a task"
  }

  mutating func add(_ seconds: Double, waitingFor cause: WaitCause, tid: Int) {
    byThread[tid, default: [:]][cause, default: 0] += seconds
  }
}
