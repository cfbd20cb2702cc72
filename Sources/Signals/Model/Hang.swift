import TraceModel

/// How bad a hang is, by its length.
package enum HangSeverity: String, Sendable, CaseIterable {
  /// At least 100 ms.
  case noticeable
  /// At least 250 ms.
  case hang
  /// At least 500 ms.
  case severe
  /// At least 2 s.
  case critical

  /// Severity of a turn of this length; nil below 100 ms.
  package init?(durationSeconds: Double) {
    switch durationSeconds {
    case 2...: self = .critical
    case 0.5...: self = .severe
    case 0.25...: self = .hang
    case 0.1...: self = .noticeable
    default: return nil
    }
  }
}

/// A turn of the main thread that lasted 100 ms or more.
package struct Hang: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var start: Double
  /// Length of the turn.
  package var durationSeconds: Double
  /// How bad it is.
  package var severity: HangSeverity
  /// On a CPU.
  package var runningSeconds: Double
  /// Waiting for a CPU.
  package var runnableSeconds: Double
  /// Blocked seconds by cause.
  package var blockedByCause: [WaitCause: Double]
  /// Stack that covers most of the hang, innermost frame first.
  package var stack: [StackFrame]
  /// The function to blame.
  package var blamedFunction: String? { stack.blamed?.function }

  /// Whether it is sure to be one: where nothing is known of most of its waits, it may have ended in one of them.
  var isKnown: Bool {
    let unknown = blockedByCause[.unknown] ?? 0
    return unknown <= durationSeconds / 2 && durationSeconds - unknown >= 0.1
  }

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    start: Double,
    durationSeconds: Double,
    severity: HangSeverity = .noticeable,
    runningSeconds: Double = 0,
    runnableSeconds: Double = 0,
    blockedByCause: [WaitCause: Double] = [:],
    stack: [StackFrame] = []
  ) {
    self.start = start
    self.durationSeconds = durationSeconds
    self.severity = severity
    self.runningSeconds = runningSeconds
    self.runnableSeconds = runnableSeconds
    self.blockedByCause = blockedByCause
    self.stack = stack
  }
}
