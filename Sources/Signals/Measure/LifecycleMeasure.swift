import PerfData
import TraceModel

/// Measures launch and termination.
enum LifecycleMeasure {
  static func measure(main: ThreadModel, in subject: SubjectView) -> LifecycleSignal {
    var signal = LifecycleSignal(exitSignal: subject.trace.subject.signal)
    if subject.trace.capture?.mode != .attach {
      let intervals = WaitInference.infer(main.intervals)
      if let ready = intervals.first(where: { $0.state == .blocked(.eventWait) }) {
        signal.launchSeconds = (ready.start - subject.start).seconds
        signal.launchHow = "from the start of the process to the first event wait"
      }
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
}
