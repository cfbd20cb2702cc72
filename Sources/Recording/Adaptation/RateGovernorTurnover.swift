import PerfData

/// What is done for a target whose tasks come and go fast.
extension RateGovernor {
  func considerTurnover(_ now: UInt64) {
    let before = turnover.threadsPerSecond
    let (endEarly, areMany) = turnover.judge(now: now)
    if endEarly { events.close(startCPUClock()) }
    let perSecond = max(before, turnover.threadsPerSecond)
    guard areMany, states.allSatisfy(\.canBeTakenOver),
      takeover.isDue(threads: perSecond, now: now, machine: { SystemInfo.contextSwitches() })
    else { return }
    takeOver(because: "with \(Int(perSecond)) new threads a second")
  }

  /// Puts the clocks of the CPUs in the place of those of the tasks, once and for all; gives the events that are to be
  /// closed.
  func startCPUClock() -> [Int] {
    guard clockSince == .max else { return [] }
    let (ofTasks, ofCPUs) = (open(in: .taskClock), open(in: .cpuClock))
    guard !ofCPUs.isEmpty else {
      if !ofTasks.isEmpty {
        stopped[.cpuSamples] =
          "threads and processes that took less than 10 ms were not sampled: a clock of each begins anew with it, and "
          + "those of the CPUs are not to be had"
      }
      return []
    }
    for index in ofCPUs { events.set(index, enabled: true) }
    clockSince = SystemInfo.monotonicNanoseconds()
    return ofTasks
  }

  private func open(in phase: EventSpec.Phase) -> [Int] {
    events.events.indices.filter {
      events.events[$0].spec.phase == phase && !events.events[$0].ids.isEmpty
    }
  }
}
