/// A thread in a table: shares and rates of the time that the process lived in.
package struct ThreadRow: Sendable {
  /// By what threads are ordered.
  package enum Order: String, CaseIterable, Sendable {
    case cpu, blocked, wakeups, turns
  }

  package var tid: Int
  package var name: String
  package var role: String
  /// Of one core.
  package var cpuShare: Double
  package var blocked: BlockedShare
  package var wakeupsPerSecond: Double
  /// Turns of an event loop; nil where the thread has none.
  package var turnsPerSecond: Double?
  /// The share of the time in which the event loop did not wait for events; nil where there is none.
  package var utilisation: Double?
  package var turnMedianSeconds: Double?
  package var turnP99Seconds: Double?
  package var longestTurnSeconds: Double?
  package var blockings: [BlockingSection]

  /// The threads of a report, those first that come first by the order.
  package static func rows(of report: Report, by order: Order) -> [ThreadRow] {
    let critical = Dictionary(
      report.signals.criticalThreads.map { ($0.tid, $0) }, uniquingKeysWith: { first, _ in first })
    let seconds = max(report.livedSeconds, 1e-3)
    return report.signals.threads.map {
      ThreadRow($0, critical[$0.tid], seconds: seconds)
    }.sorted { left, right in
      let values = (left.value(order), right.value(order))
      return values.0 != values.1 ? values.0 > values.1 : left.tid < right.tid
    }
  }

  private init(_ thread: ThreadSection, _ critical: CriticalThreadSection?, seconds: Double) {
    tid = thread.tid
    name = thread.name
    role = thread.role
    cpuShare = thread.cpuSeconds / seconds
    wakeupsPerSecond = Double(thread.wakeups) / seconds
    blocked = BlockedShare(
      seconds: critical?.blockedSeconds ?? thread.blockedSeconds,
      byCause: critical?.blockedByCause ?? [:], of: seconds)
    blockings = critical?.blockings ?? []
    // Without an event wait a whole life is one turn, and none of an event loop.
    guard let critical, critical.turns > 1, critical.idleSeconds > 0 else { return }
    let seen =
      critical.runningSeconds + critical.runnableSeconds + critical.blockedSeconds
      + critical.idleSeconds
    turnsPerSecond = Double(critical.turns) / seconds
    utilisation = 1 - critical.idleSeconds / seen
    turnMedianSeconds = critical.turnMedianSeconds
    turnP99Seconds = critical.turnP99Seconds
    longestTurnSeconds = critical.longestTurnSeconds
  }

  private func value(_ order: Order) -> Double {
    switch order {
    case .cpu: cpuShare
    case .blocked: blocked.most
    case .wakeups: wakeupsPerSecond
    case .turns: turnsPerSecond ?? -1
    }
  }
}
