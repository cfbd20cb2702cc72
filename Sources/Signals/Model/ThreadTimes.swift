import TraceModel

/// Where a thread's time went, in seconds.
package protocol ThreadTimes {
  /// On a CPU.
  var runningSeconds: Double { get }
  /// Waiting for a CPU.
  var runnableSeconds: Double { get }
  /// In event waits.
  var idleSeconds: Double { get }
  /// Blocked while it had work to do, or for what is not known.
  var blockedSeconds: Double { get }
  /// Blocked seconds by cause.
  var blockedByCause: [WaitCause: Double] { get }
}

extension ThreadTimes {
  /// The share of its life in which the thread waited for what is not known, from 0 to 1.
  package var unknownShare: Double {
    let life = runningSeconds + runnableSeconds + blockedSeconds + idleSeconds
    return life > 0 ? (blockedByCause[.unknown] ?? 0) / life : 0
  }

  /// Whether what the thread waited for is known well enough to tell its turns and its waits: a few waits at the edges
  /// of a recording never are.
  package var areWaitsKnown: Bool { unknownShare <= 0.02 }
}

extension MainThreadSignal: ThreadTimes {}
extension CriticalThread: ThreadTimes {}
