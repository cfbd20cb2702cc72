import TraceModel

/// Gives waits whose stack was not sampled the cause of the thread's other waits.
///
/// Under load the recorder takes the stacks of some waits only.
enum WaitInference {
  /// Share of the sampled waits that must agree.
  static let agreement = 0.9
  /// Fewer waits without a stack were not left out by the recorder, but lost by the kernel: nothing is said of them.
  static let fewest = 16

  /// If nine in ten of the known waits are event waits, so are the rest; else each is what its neighbours were. Where
  /// the ends of event waits tell them without a stack, the rest is something else, however many these are.
  static func infer(_ intervals: ThreadHistory) -> ThreadHistory {
    let totals = intervals.totals
    guard totals.unknownWaits > 0, totals.knownWaits > 0 else { return intervals }
    if takesRestForIdle(totals) { return intervals.takingUnknownForIdle }
    return totals.unknownWaits >= fewest ? byNeighbours(intervals) : intervals
  }

  private static func takesRestForIdle(_ totals: ThreadHistory.Totals) -> Bool {
    totals.toldEventWaits == 0
      && Double(totals.eventWaits) >= agreement * Double(totals.knownWaits)
  }

  /// What of a thread's waits was recorded, by its history before and after.
  static func sampling(of intervals: ThreadHistory, inferred: ThreadHistory) -> WaitSampling {
    let (before, after) = (intervals.totals, inferred.totals)
    guard before.unknownWaits > 0, before.knownWaits > 0 else { return .whole }
    if takesRestForIdle(before) {
      let share = Double(before.knownWaits) / Double(before.knownWaits + before.unknownWaits)
      return WaitSampling(recordedShare: share, isOfRecorded: true)
    }
    let (told, all) = (before.knownWaits - before.eventWaits, after.knownWaits - after.eventWaits)
    guard told > 0, all > told else { return .whole }
    return WaitSampling(recordedShare: Double(told) / Double(all), isOfRecorded: false)
  }

  /// An unknown wait has the cause of the sampled waits before and after it, if they agree.
  ///
  /// Those of its own turn come first: the end of a call that waits for events is recorded while stacks are sampled, so
  /// that an event wait without a stack divides one turn from the next.
  private static func byNeighbours(_ intervals: ThreadHistory) -> ThreadHistory {
    let known = KnownWaits(intervals)
    guard known.waits.contains(where: \.isSampled) else { return intervals }
    var next = 0
    return intervals.mapStates { index, interval in
      while next < known.waits.count, known.waits[next].index < index { next += 1 }
      guard interval.state == .blocked(.unknown), interval.stack == nil,
        let cause = known.cause(before: next)
      else { return interval.state }
      return .blocked(cause)
    }
  }
}

/// The waits of a thread that have a stack, or that are known to be event waits without one.
private struct KnownWaits {
  struct Wait {
    var index: Int
    var cause: WaitCause
    var isSampled: Bool
  }

  let waits: [Wait]
  /// For each place between two waits, the nearest sampled one before it and after it.
  private let before: [WaitCause?]
  private let after: [WaitCause?]

  init(_ intervals: ThreadHistory) {
    var waits: [Wait] = []
    for (index, interval) in zip(intervals.indices, intervals) {
      guard case .blocked(let cause) = interval.state,
        cause != .unknown, interval.stack != nil || cause == .eventWait
      else { continue }
      waits.append(Wait(index: index, cause: cause, isSampled: interval.stack != nil))
    }
    func nearest(_ waits: some Sequence<Wait>) -> [WaitCause?] {
      var last: WaitCause?
      return [nil]
        + waits.map { wait in
          if wait.isSampled { last = wait.cause }
          return last
        }
    }
    before = nearest(waits)
    after = nearest(waits.reversed()).reversed()
    self.waits = waits
  }

  /// What a wait was that stands before the known one of this number.
  func cause(before next: Int) -> WaitCause? {
    let previous = next > 0 && waits[next - 1].isSampled ? waits[next - 1].cause : nil
    let following = next < waits.count && waits[next].isSampled ? waits[next].cause : nil
    switch (previous, following) {
    case (let one?, let other?): return one == other ? one : nil
    case (let only?, nil), (nil, let only?): return only
    case (nil, nil): return before[next] == after[next] ? before[next] : nil
    }
  }
}
