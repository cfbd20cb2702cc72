import TraceModel

/// Wakeups by what they count as.
struct WakeupCounts {
  var all = 0
  var idle = 0
  var foundCPUIdle = 0
  /// Of timers, where the causes are looked at.
  var timer = 0

  mutating func add(_ wakeup: Wakeup, _ count: Int = 1) {
    all += count
    if wakeup.isIdleWakeup { idle += count }
    if wakeup.foundCPUIdle { foundCPUIdle += count }
  }
}

/// One row for each thread of the subject.
enum ThreadMeasure {
  /// The subject's wakeups by thread.
  static func wakeups(_ subject: SubjectView) -> ByThread<WakeupCounts> {
    var counts = ByThread<WakeupCounts>()
    for (wakeup, count) in subject.trace.wakeups.countsByKind where wakeup.pid == subject.pid {
      counts[wakeup.tid, default: WakeupCounts()].add(wakeup, count)
    }
    return counts
  }

  static func measure(_ subject: SubjectView, roles: inout ThreadRoles) -> [ThreadSignal] {
    var result: [ThreadSignal] = []
    let counts = wakeups(subject)
    for thread in subject.threads {
      let parts = TimeParts(subject.history(of: thread).totals)
      let count = counts[thread.tid, default: WakeupCounts()]
      result.append(
        ThreadSignal(
          tid: Int(thread.tid), name: thread.name, role: roles.role(of: thread),
          cpuSeconds: (thread.sampledTime ?? parts.running).seconds, wakeups: count.all,
          idleWakeups: count.idle,
          idleWakeupsFoundCPUIdle: count.foundCPUIdle,
          blockedSeconds: parts.blockedTotal.seconds))
    }
    return result.sorted { ($1.cpuSeconds, $0.tid) < ($0.cpuSeconds, $1.tid) }
  }
}
