import Quantities
import TraceModel

/// Measures how the threads on which others depend were kept from their work.
enum CriticalThreadMeasure {
  /// A thread's places at most, the worst.
  static let placeLimit = 50
  /// The longest turn is no turn where it is below this.
  private static let shortestTurn = TimeSpan(nanoseconds: 1_000_000)

  static func measure(_ subject: SubjectView, roles: inout ThreadRoles) -> [CriticalThread] {
    var result: [CriticalThread] = []
    for thread in subject.threads {
      let role = roles.role(of: thread)
      guard role.isCritical else { continue }
      let intervals = subject.history(of: thread)
      let parts = TimeParts(intervals.totals)
      let turns = subject.turns(of: thread, keeping: nil)
      var blocked = parts
      var longest = turns.longest >= shortestTurn ? turns.longest : .zero
      var places = BlockingSums(intervals, from: intervals.startIndex)
      var sampling = subject.waitSampling(of: thread)
      if role == .cooperativePool {
        // A worker of the pool also serves dispatch queues, which may block it.
        let own = roles.pooledWork(of: thread, in: intervals)
        blocked = TimeParts(own)
        longest = own.map(\.length).max() ?? .zero
        places = BlockingSums(own)
        // A wait of a job is known by its stack.
        sampling.isOfRecorded = true
      }
      result.append(
        CriticalThread(
          tid: Int(thread.tid), name: thread.name, role: role, turns: turns.count,
          longestTurnSeconds: longest.seconds,
          turnLengths: role == .cooperativePool ? nil : TurnLengths(turns.lengths),
          runningSeconds: parts.running.seconds,
          runnableSeconds: parts.runnable.seconds, idleSeconds: parts.idle.seconds,
          blockedSeconds: blocked.blockedTotal.seconds, blockedByCause: blocked.blockedByCause,
          blockings: Array(places.blockings(subject).prefix(placeLimit)),
          waitSampling: sampling))
    }
    return result.sorted { ($1.blockedSeconds, $0.tid) < ($0.blockedSeconds, $1.tid) }
  }
}
