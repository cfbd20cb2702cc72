/// What the drain asks of each record, and tells.
extension RateGovernor {
  /// Whether a record counts of one of a source's two events.
  @inline(__always)
  func keeps(_ source: Int, isSample: Bool, time: UInt64) -> Bool {
    states[source].keeps(isSample: isSample, time: time)
  }

  /// Counts a record of either event of a source.
  @inline(__always)
  func note(_ source: Int, isSample: Bool) { states[source].note(isSample: isSample) }

  /// Counts a record of another program, which costs as much.
  @inline(__always)
  func noteForeign(_ source: Int, weight: UInt64) {
    states[source].noteForeign()
    if source == AdaptiveSource.systemCalls.rawValue { calls.events += Double(weight) }
  }

  /// Counts a SWITCH record; a wait makes two.
  @inline(__always)
  func noteSwitch() { switches.events += 1 }

  /// Counts the end of a system call that stands for so many.
  func noteCall(_ count: UInt64, isWrite: Bool, time: UInt64) {
    calls.events += Double(count)
    if isWrite { slices.noteWrites(count, at: time) }
  }

  /// Whether a record counts of an event that is not wanted all the time.
  @inline(__always)
  func keeps(_ phase: EventSpec.Phase, time: UInt64) -> Bool {
    switch phase {
    case .always: true
    case .untilBusy: time < busySince
    case .taskClock: time < clockSince
    case .cpuClock: time >= clockSince
    case .untilTakeover: time < takeover.since
    case .afterTakeover: time >= takeover.since
    }
  }

  /// Whether the rings hold records of all programs.
  var hearsAll: Bool { takeover.isDone }
}
