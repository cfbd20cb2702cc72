import TraceModel

/// The tests of a trace as intervals, each with what its own process used.
enum TestMeasure {
  /// The intervals with the tests among them, in the order of their beginnings.
  static func added(to intervals: [Interval], _ activity: SubjectActivity) -> [Interval] {
    let subject = activity.subject
    guard !subject.trace.tests.isEmpty else { return intervals }
    var result = intervals
    for (pid, tests) in Dictionary(grouping: subject.trace.tests, by: \.pid) {
      guard let process = subject.trace.processes.first(where: { $0.pid == pid }) else { continue }
      let own = pid == subject.pid ? activity : Self.activity(of: process, in: subject.trace)
      for test in tests {
        var interval = MarkMeasure.interval(test.name, from: test.start, to: test.end, own)
        interval.how = test.library.rawValue
        interval.outcome = test.outcome?.rawValue
        if pid != subject.pid { interval.pid = Int(pid) }
        result.append(interval)
      }
    }
    return result.sorted { ($0.start, $0.name) < ($1.start, $1.name) }
  }

  private static func activity(of process: ProcessModel, in trace: Trace) -> SubjectActivity {
    let view = SubjectView(trace, process: process)
    return SubjectActivity(view, wakeups: WakeupMeasure(view))
  }
}
