import PerfData
import TraceModel

/// Measures launch and termination.
enum LifecycleMeasure {
  static func measure(main: ThreadModel, in subject: SubjectView) -> LifecycleSignal {
    var signal = LifecycleSignal(exitSignal: subject.trace.subject.signal)
    if let ready = ready(main: main, in: subject) {
      signal.launchSeconds = (ready - subject.start).seconds
      signal.launchHow = "from the start of the process to the first event wait"
    }
    // SIGTERM is 15, SIGINT is 2.
    let asked = subject.trace.signals.first {
      $0.pid == subject.pid && ($0.number == 15 || $0.number == 2)
    }
    if let asked, let end = subject.trace.subject.end, end > asked.time {
      signal.terminationSeconds = (end - asked.time).seconds
      signal.terminationSignal = asked.number
    }
    return signal
  }

  /// When the program had started up; nil where it was found running, or never waited for an event.
  ///
  /// With an async main the first thread is parked once it has, and a worker plays the main thread's part from then.
  static func ready(main: ThreadModel, in subject: SubjectView) -> Timestamp? {
    guard !subject.trace.startsLate else { return nil }
    let first = subject.threads.first { $0.tid == subject.pid }
    return [main, first].compactMap { thread in
      WaitInference.infer(thread?.intervals ?? [])
        .first { $0.state == .blocked(.eventWait) }?.start
    }.min()
  }
}
