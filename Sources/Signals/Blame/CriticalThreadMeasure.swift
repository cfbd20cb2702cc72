import PerfData
import TraceModel

/// Measures how the threads on which others depend were kept from their work.
enum CriticalThreadMeasure {
  /// A thread's places at most, the worst.
  static let placeLimit = 50
  /// Turns below this are not kept while looking for the longest.
  private static let shortestTurn = TimeSpan(nanoseconds: 1_000_000)

  static func measure(_ subject: SubjectView, roles: inout ThreadRoles) -> [CriticalThread] {
    var result: [CriticalThread] = []
    for thread in subject.threads {
      let role = roles.role(of: thread)
      guard role.isCritical else { continue }
      let intervals = WaitInference.infer(thread.intervals)
      let parts = TimeParts(intervals.totals)
      let turns = Turn.split(intervals, keeping: shortestTurn)
      var blocked = parts
      var longest = turns.long.lazy.map(\.length).max()
      var places = MainThreadMeasure.blockings(intervals, subject)
      if role == .cooperativePool {
        // A worker of the pool also serves dispatch queues, which may block it.
        let own = intervals.filter { roles.isPooledJob($0.stack) }
        blocked = TimeParts(own)
        longest = own.lazy.map(\.length).max()
        places = MainThreadMeasure.blockings(own, subject)
      }
      result.append(
        CriticalThread(
          tid: Int(thread.tid), name: thread.name, role: role, turns: turns.count,
          longestTurnSeconds: (longest ?? .zero).seconds, runningSeconds: parts.running.seconds,
          runnableSeconds: parts.runnable.seconds, idleSeconds: parts.idle.seconds,
          blockedSeconds: blocked.blockedTotal.seconds, blockedByCause: blocked.blockedByCause,
          blockings: Array(places.prefix(placeLimit))))
    }
    return result.sorted { ($1.blockedSeconds, $0.tid) < ($0.blockedSeconds, $1.tid) }
  }
}
