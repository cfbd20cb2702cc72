/// What made a thread go on.
package enum WakeupCause: String, CaseIterable, Sendable {
  case timer, network, disk, sameProcess, otherProcess, signal
  /// An interrupt of none of these.
  case other
  /// Nothing tells.
  case unknown
}

/// How often threads of the process were woken, and by what.
package struct WakeupSignal: Sendable, Equatable {
  /// All wakeups.
  package var total: Int
  /// There were more: its threads waited more often than is told.
  package var isLeast = false
  /// All wakeups per second of the recording.
  package var perSecond: Double
  /// Wakeups made in interrupt context, as macOS and iOS count them.
  package var idle: Int
  /// Idle wakeups per second of the recording.
  package var idlePerSecond: Double
  /// Idle wakeups that found their CPU idle and made it leave that state, which is what costs.
  package var foundCPUIdle: Int
  /// Wakeups by cause.
  package var byCause: [WakeupCause: Int]
  /// Idle wakeups by cause.
  package var idleByCause: [WakeupCause: Int]
  /// Idle wakeups of which the kernel told nothing, so that they may be a timer's as well as a packet's.
  package var untold: Int
  /// Idle wakeups that ended waits for the disk, by thread id.
  package var diskByThread: [Int: Int]
  /// Regular timed waits, most frequent first.
  package var timers: [TimerSignal]
  /// Timer wakeups replayed with a tolerance.
  package var coalescing: CoalescingSignal?

  /// Makes the value from its parts; what is left out is zero, empty or unknown, and every idle
  /// wakeup found its CPU idle.
  package init(
    total: Int = 0,
    perSecond: Double = 0,
    idle: Int = 0,
    idlePerSecond: Double = 0,
    foundCPUIdle: Int? = nil,
    byCause: [WakeupCause: Int] = [:],
    idleByCause: [WakeupCause: Int] = [:],
    untold: Int = 0,
    diskByThread: [Int: Int] = [:],
    timers: [TimerSignal] = [],
    coalescing: CoalescingSignal? = nil
  ) {
    self.total = total
    self.perSecond = perSecond
    self.idle = idle
    self.idlePerSecond = idlePerSecond
    self.foundCPUIdle = foundCPUIdle ?? idle
    self.byCause = byCause
    self.idleByCause = idleByCause
    self.untold = untold
    self.diskByThread = diskByThread
    self.timers = timers
    self.coalescing = coalescing
  }
}

extension WakeupSignal {
  /// More of the idle wakeups hide a timer.
  private static let mostUntold = 0.1

  /// Why it is not known which timers there are; nil where it is.
  package var whyTimersAreUntold: String? {
    guard Double(untold) > Self.mostUntold * Double(idle) else { return nil }
    return
      "of \(untold) of \(idle) wakeups by interrupts the kernel did not tell whether by timers or by packets"
  }
}

/// A timed wait that expires again and again at one place.
package struct TimerSignal: Sendable, Equatable {
  /// Kernel thread id.
  package var tid: Int
  /// Thread name.
  package var thread: String
  /// Mean period.
  package var periodSeconds: Double
  /// Typical deviation from the period.
  package var jitterSeconds: Double
  /// Number of expiries.
  package var count: Int
  /// Expiries after which the thread did nothing but wait again.
  package var expiredWithoutWork: Int
  /// Expiries besides, of which that is not known.
  package var expiredUntold: Int
  /// Where it waits, innermost frame first.
  package var stack: [StackFrame]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    tid: Int,
    thread: String = "",
    periodSeconds: Double,
    jitterSeconds: Double = 0,
    count: Int,
    expiredWithoutWork: Int = 0,
    expiredUntold: Int = 0,
    stack: [StackFrame] = []
  ) {
    self.tid = tid
    self.thread = thread
    self.periodSeconds = periodSeconds
    self.jitterSeconds = jitterSeconds
    self.count = count
    self.expiredWithoutWork = expiredWithoutWork
    self.expiredUntold = expiredUntold
    self.stack = stack
  }
}
