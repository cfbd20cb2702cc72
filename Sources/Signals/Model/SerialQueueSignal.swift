import TraceModel

/// A serial dispatch queue that is not the main one, and what its work waited for.
package struct SerialQueueSignal: Sendable, Equatable {
  /// What the program calls it; empty for all those whose labels are not known.
  package var label: String
  /// While its work was blocked, on whatever thread.
  package var blockedSeconds: Double
  /// The longest such wait.
  package var longestSeconds: Double
  /// Blocked seconds by cause.
  package var blockedByCause: [WaitCause: Double]
  /// CPU seconds of its work, told by samples; nil where none were taken.
  package var cpuSeconds: Double?
  /// Where its work blocked, the longest first.
  package var blockings: [Blocking]
}
