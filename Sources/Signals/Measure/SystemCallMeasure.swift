import TraceModel

/// Counts system calls by thread, where all were recorded: by `perf record -e raw_syscalls:*`, not by Lull.
enum SystemCallMeasure {
  static func measure(_ subject: SubjectView) -> [SystemCallSignal]? {
    guard subject.trace.capture == nil,
      subject.trace.eventNames.contains("raw_syscalls:sys_exit")
    else { return nil }
    let names = Dictionary(subject.threads.map { ($0.tid, $0.name) }) { $1 }
    let signals = subject.trace.calls.filter { $0.key.pid == subject.pid }.map {
      (key, totals) in
      let seconds = totals.timed > 0 ? totals.total.seconds : nil
      return SystemCallSignal(
        tid: Int(key.tid), thread: names[key.tid] ?? String(key.tid),
        call: SystemCall.name(of: key.number, architecture: subject.trace.architecture),
        count: totals.count, errors: totals.errors, seconds: seconds,
        shortestSeconds: seconds.map { _ in totals.shortest.seconds },
        meanSeconds: seconds.map { $0 / Double(totals.timed) },
        longestSeconds: seconds.map { _ in totals.longest.seconds })
    }
    return signals.sorted {
      ($1.seconds ?? 0, $1.count, $0.tid, $0.call) < ($0.seconds ?? 0, $0.count, $1.tid, $1.call)
    }
  }
}
