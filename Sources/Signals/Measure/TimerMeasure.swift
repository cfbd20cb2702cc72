import Quantities
import TraceModel

/// Finds the timers among a process's wakeups.
enum TimerMeasure {
  /// Running for less than this after an expiry is no work.
  private static let workThreshold = 0.001

  /// Regular expiries, by thread and by the place that waited.
  static func timers(_ expiries: [Int32: [Timestamp]], in subject: SubjectView) -> [TimerSignal] {
    var result: [TimerSignal] = []
    for thread in subject.threads {
      guard let ends = expiries[thread.tid], ends.count >= 4 else { continue }
      for (stack, times) in places(of: thread, endedAt: ends.sorted(), in: subject) {
        guard let found = Periodicity.detect(times.map(\.time)) else { continue }
        result.append(
          TimerSignal(
            tid: Int(thread.tid), thread: thread.name, periodSeconds: found.periodSeconds,
            jitterSeconds: found.jitterSeconds, count: found.count,
            expiredWithoutWork: times.count { !$0.worked },
            stack: subject.frames(stack < 0 ? nil : stack)))
      }
    }
    return result.sorted { ($1.count, $0.tid) < ($0.count, $1.tid) }
  }

  /// Where the thread had waited as it was woken at these times, and whether it worked before it waited again.
  private static func places(
    of thread: ThreadModel, endedAt times: [Timestamp], in subject: SubjectView
  ) -> [Int: [(time: Double, worked: Bool)]] {
    var places: [Int: [(time: Double, worked: Bool)]] = [:]
    var wait: ThreadInterval?
    var ran = TimeSpan.zero
    func end() {
      guard let wait else { return }
      places[wait.stack ?? -1, default: []].append(
        (subject.time(wait.end), ran.seconds >= workThreshold))
    }
    var next = 0
    for interval in thread.intervals {
      if interval.state == .running { ran += interval.length }
      guard case .blocked = interval.state else { continue }
      end()
      wait = nil
      ran = .zero
      while next < times.count, times[next] < interval.end { next += 1 }
      if next < times.count, times[next] == interval.end { wait = interval }
    }
    end()
    return places
  }
}
