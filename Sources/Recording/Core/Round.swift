/// One round of a recording's loop: where sources write, and what they tell each other.
final class Round {
  let now: UInt64
  let sink: TraceSink
  /// All sources were stopped before it: nothing may be switched any longer.
  let isLast: Bool
  private var told: [Observation] = []

  init(now: UInt64, sink: TraceSink, isLast: Bool = false) {
    self.now = now
    self.sink = sink
    self.isLast = isLast
  }

  func tell(_ observations: [Observation]) { told += observations }

  /// What was told since this was asked for, as it happened.
  ///
  /// Each ring of perf events is in order, but an exec may be in another CPU's than the fork before it.
  func observations() -> [Observation] {
    defer { told = [] }
    return told.sorted { $0.time < $1.time }
  }
}
