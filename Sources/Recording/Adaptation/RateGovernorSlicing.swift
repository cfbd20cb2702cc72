import PerfData

/// When the target is recorded in slices of time, and what else is done for one that switches often.
extension RateGovernor {
  func changeSlice(now: UInt64) -> Bool {
    didEndSlice = false
    guard slices.isSlicing, now >= slices.next else { return false }
    if slices.isRecording { setSliced(enabled: false) }
    let begins = slices.change(at: SystemInfo.monotonicNanoseconds())
    if begins { setSliced(enabled: true) } else { calls.heard += slices.lastSlice }
    didEndSlice = !begins
    return begins
  }

  /// Begins and ends recording in slices; true when all is recorded again.
  func considerSlicing(_ now: UInt64) -> Bool {
    let elapsed = lastEvaluation == 0 ? 0 : now &- lastEvaluation
    lastEvaluation = now
    switches.heard += elapsed
    if !slices.isSlicing { calls.heard += elapsed }
    let wasSwitching = switches.isHigh
    switches.judge(now: now)
    calls.judge(now: now)
    guard events.gates.canSlice else { return false }
    if switches.isHigh, !wasSwitching {
      events.close(endUntilNextProgram(because: waitRate))
      recordEventWaits(true, from: now)
    }
    guard !isBesidePrograms else {
      // A probe is an event of each thread.
      if switches.isHigh, switches.perSecond > CPUWideTakeover.rate {
        events.close(
          endJobs(
            "\(waitRate), the probes that tell jobs would have cost too much; they were ended, until the next program"
          ))
      }
      return false
    }
    let isWanted = switches.isHigh || calls.isHigh
    if isWanted, !slices.isSlicing {
      for state in states where state.isHeldSampled && !state.isSampled { sample(state.source) }
      // One stack of many in a slice would often be none: of so short a time all are wanted, until they are too many.
      if self[.stacks].isSampling { recordWhole(.stacks) }
      slices.begin(at: SystemInfo.monotonicNanoseconds(), writeCalls: writes.total)
    } else if !isWanted {
      return endSlices()
    }
    return false
  }

  /// Records everything from here on, where it was recorded in slices; true where it was.
  func endSlices() -> Bool {
    guard slices.isSlicing else { return false }
    if !slices.isRecording { setSliced(enabled: true) }
    slices.end(at: SystemInfo.monotonicNanoseconds(), writeCalls: writes.total)
    return true
  }

  private func setSliced(enabled: Bool) {
    events.gates.set(enabled: enabled)
    for (index, opened) in events.events.enumerated()
    where opened.spec.cost.isSliced && opened.spec.visibility != .target
      && opened.spec.replaced == nil
    {
      events.set(index, enabled: enabled)
    }
  }

  /// Ends what a target that switches often pays for at each switch, in all programs that it has: what begins later has
  /// it again, by `ProgramProbes`.
  ///
  /// - Returns: The numbers of the events that are to be closed.
  private func endUntilNextProgram(because reason: String) -> [Int] {
    guard busySince == .max else { return [] }
    let clocks = startCPUClock()
    busySince = SystemInfo.monotonicNanoseconds()
    let ended = events.events.indices.filter { events.events[$0].spec.phase == .untilBusy }
    if ended.contains(where: {
      events.events[$0].spec.purpose == .queueLabels && !events.events[$0].ids.isEmpty
    }) {
      stopped[.queueLabels] =
        "\(reason), the probe that tells them was ended until the next program; queues that were made meanwhile have "
        + "none here"
    }
    if ended.contains(where: {
      events.events[$0].spec.purpose == .fileNames && !events.events[$0].ids.isEmpty
    }) {
      stopped[.fileNames] =
        "\(reason), the probes that tell paths would have cost too much; they were ended, and paths are those of "
        + "/proc until the next program"
    }
    return clocks + ended
  }

  func considerTakeover(_ now: UInt64) {
    guard isBetweenSlices, states.allSatisfy(\.canBeTakenOver),
      takeover.isDue(switches.perSecond, now: now, machine: { SystemInfo.contextSwitches() })
    else { return }
    takeOver(because: waitRate)
  }

  private var waitRate: String { "at \(Int(switches.perSecond / 2)) waits a second" }

  /// Puts the CPUs' events in the place of the threads'.
  func takeOver(because reason: String) {
    let threadGates = events.giveUpThreadGates()
    let places = takeover.takeOver(events, opensGates: !isBetweenSlices)
    // As long as a thread has any event of its own, its switches take as long as with all; and while the last event of
    // a probe goes, no thread can be given one. So all go at once.
    events.close(
      places.keys + endUntilNextProgram(because: reason)
        + endJobs(
          "\(reason), the probes that tell jobs would have cost too much; they were ended, until the next program"
        ))
    events.closeLater(programs.takeAll())
    events.closeGates(threadGates)
    for index in states.indices { states[index].move(to: places) }
  }
}
