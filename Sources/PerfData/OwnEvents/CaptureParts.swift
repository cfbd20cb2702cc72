extension CaptureEvent {
  /// What this part of a recording and a later one tell together.
  ///
  /// How the recording began is the earlier one's; what was counted adds up.
  public func merged(with later: CaptureEvent) -> CaptureEvent {
    var whole = later
    whole.mode = mode
    whole.unavailable = unavailable + later.unavailable.filter { !unavailable.contains($0) }
    whole.overheadCPUSeconds += overheadCPUSeconds
    whole.sampled = sampled + later.sampled
    whole.slices = slices.map { $0 + (later.slices ?? []) } ?? later.slices
    whole.lost = lost.map { $0 + (later.lost ?? []) } ?? later.lost
    if let processesRecorded {
      whole.processesRecorded = Set(processesRecorded + (later.processesRecorded ?? [])).sorted()
    }
    if let processesLookedAt {
      whole.processesLookedAt = Set(processesLookedAt + (later.processesLookedAt ?? [])).sorted()
    }
    if let missesWaits {
      whole.missesWaits = Set(missesWaits + (later.missesWaits ?? [])).sorted()
    }
    for index in whole.machine?.idleStates?.indices ?? 0..<0 {
      let state = whole.machine?.idleStates?[index].name
      let before = machine?.idleStates?.first { $0.name == state }?.entries
      whole.machine?.idleStates?[index].entries &+= before ?? 0
    }
    var counts = exactCounts
    for count in later.exactCounts {
      if let index = counts.firstIndex(where: { $0.source == count.source }) {
        counts[index].count &+= count.count
      } else {
        counts.append(count)
      }
    }
    whole.exactCounts = counts
    return whole
  }
}
