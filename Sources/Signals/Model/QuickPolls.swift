/// Small questions to one host at a regular interval that is too short for each to be a burst of its own.
package struct QuickPolls: Sendable, Equatable {
  /// Address of the host, without the port.
  package var host: String
  /// Seconds from one question to the next.
  package var periodSeconds: Double
  /// How many questions followed that period.
  package var count: Int
  /// When the first was asked, and the last, in seconds from the start of the trace.
  package var start: Double
  package var end: Double
  /// Where one was asked, innermost frame first.
  package var stack: [StackFrame]

  /// Makes the value from its parts.
  package init(
    host: String, periodSeconds: Double, count: Int, start: Double, end: Double,
    stack: [StackFrame] = []
  ) {
    self.host = host
    self.periodSeconds = periodSeconds
    self.count = count
    self.start = start
    self.end = end
    self.stack = stack
  }

  /// Whether what went over the radio then is of a question after the first.
  func repeats(_ transfer: NetworkTransfer) -> Bool {
    transfer.remote == host && transfer.time >= start + periodSeconds / 2
      && transfer.time <= end + periodSeconds / 2
  }
}
