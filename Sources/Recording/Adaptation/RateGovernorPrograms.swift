/// What is done for the programs that begin when something has ended since the target was busy: see `ProgramProbes`.
extension RateGovernor {
  /// Gives the programs whose turn it is what has ended, and takes it from those that are busy or gone.
  func considerPrograms(_ now: UInt64) {
    events.closeLater(programs.takeUnused())
    let ended = events.events.indices.filter { hasEnded(events.events[$0].spec) }
    guard !ended.isEmpty else { return programs.forgetWaiting() }
    programs.note(isBusy: switches.isHigh, now: now)
    if switches.isHighNow { events.closeLater(programs.takeTried(now: now)) }
    for pid in programs.takeDue(now: now) {
      programs.gave(events.reopen(ended, in: pid), to: pid, now: now)
      self[.jobs].refill(now: now)
    }
  }

  private func hasEnded(_ spec: EventSpec) -> Bool {
    guard spec.kind == .uprobe else { return false }
    return spec.phase == .untilBusy && busySince != .max
      || spec.purpose == .concurrency && stopped[.concurrency] != nil
  }
}
