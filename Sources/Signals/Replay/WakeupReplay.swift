import Quantities

/// Replays timer wakeups with a tolerance.
package enum WakeupReplay {
  /// A wakeup by a timer.
  package struct Timed: Sendable, Equatable {
    /// When it came, in seconds.
    package var time: Double
    /// How much later it may come.
    package var slack: Double

    /// Makes one.
    package init(time: Double, slack: Double) {
      self.time = time
      self.slack = slack
    }
  }

  /// A wakeup by another interrupt, as of a packet.
  package struct Other: Sendable, Equatable {
    /// When it came, in seconds.
    package var time: Double
    /// When the process last did what it may be the answer to: it would not have come had that been later.
    package var since: Double

    /// Makes one.
    package init(time: Double, since: Double) {
      self.time = time
      self.since = since
    }
  }

  /// Fewest wakes of the CPU that serve all timers, each at its time or up to its slack later.
  ///
  /// A timer in whose span another interrupt wakes the process anyway costs nothing, unless that came of what the
  /// process did at the timer's time. For the rest the earliest deadline is served first, and serves every span that
  /// holds it, which is optimal.
  package static func remaining(_ timers: [Timed], others: [Other]) -> Int {
    let anchors = others.sorted { $0.time < $1.time }
    var count = 0
    var last = -Double.infinity
    for timer in timers.sorted(by: { $0.time + $0.slack < $1.time + $1.slack }) {
      let deadline = timer.time + timer.slack
      if last >= timer.time || hasAnchor(anchors, from: timer.time, to: deadline) { continue }
      last = deadline
      count += 1
    }
    return count
  }

  /// Replays the timer wakeups of threads: each that may wait may for a share of the time since its thread's last one.
  ///
  /// For one that somebody waits for an answer after there is no tolerance.
  package static func replay(
    _ byThread: [[(time: Double, mayWait: Bool)]], others: [Other], toleranceShare: Double = 0.1
  ) -> CoalescingSignal {
    var timers: [Timed] = []
    for times in byThread {
      var last: Double?
      for (time, mayWait) in times.sorted(by: { $0.time < $1.time }) {
        // How long the first one waited is not known.
        let interval = mayWait ? last.map { time - $0 } ?? 0 : 0
        timers.append(Timed(time: time, slack: interval * toleranceShare))
        last = time
      }
    }
    let all = timers.map(\.time).sorted()
    return CoalescingSignal(
      toleranceShare: toleranceShare, timerWakeups: timers.count,
      remaining: remaining(timers, others: others),
      medianIdleGapSeconds: Quantiles.median(zip(all, all.dropFirst()).map { $1 - $0 }) ?? 0)
  }

  private static func hasAnchor(_ others: [Other], from: Double, to: Double) -> Bool {
    others[others.partitioningIndex { $0.time >= from }...].lazy.prefix { $0.time <= to }
      .contains { $0.since < from }
  }
}
