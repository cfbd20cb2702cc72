import Reporting

/// Finds the place to blame in the report's own tables, where a rule's evidence has none.
enum BlameRows {
  /// The tables that explain a rule, and for blocked time the cause.
  private enum Topic {
    case cpu, wakeups, disk, network
    case blocked(String)
  }

  private static let topics: [String: [Topic]] = [
    "sync-frequency": [.blocked("sync"), .disk], "write-frequency": [.disk],
    "bytes-written": [.disk], "whole-file-rewrites": [.disk],
    "main-thread-file-access": [.blocked("file"), .blocked("sync")],
    "main-thread-lock-waits": [.blocked("lock")],
    "main-thread-network-waits": [.blocked("network")],
    "main-thread-sleeps": [.blocked("sleep")],
    "main-thread-computation": [.cpu], "cpu-use": [.cpu],
    "polling-timers": [.wakeups], "idle-wakeups": [.wakeups],
    "bytes-transferred": [.network], "radio-duty-cycle": [.network], "tail-energy": [.network],
    "server-polling": [.network],
  ]

  /// The costliest function of the rule's tables whose place is known.
  static func blame(for rule: String, in report: Report) -> Blame? {
    for topic in topics[rule] ?? [] {
      if let row = rows(topic, report.blame).first(where: { $0.file != nil }) {
        return Blame(function: row.function, file: row.file, line: row.line)
      }
    }
    return nil
  }

  private static func rows(_ topic: Topic, _ tables: BlameSection) -> [BlameRowSection] {
    switch topic {
    case .cpu: tables.cpu
    case .wakeups: tables.wakeups
    case .disk: tables.disk
    case .network: tables.network
    case .blocked(let cause): tables.blocked.filter { $0.cause == cause }
    }
  }
}
