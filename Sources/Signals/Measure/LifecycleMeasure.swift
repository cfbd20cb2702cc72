import Quantities
import TraceModel

/// Measures launch and termination.
enum LifecycleMeasure {
  static func measure(main: ThreadModel, marks: [Mark], in subject: SubjectView)
    -> LifecycleSignal
  {
    var signal = LifecycleSignal(exitSignal: subject.trace.subject.signal)
    let mark = marks.first { $0.name == "ready" }.map {
      Timestamp(nanoseconds: subject.trace.start.nanoseconds &+ UInt64($0.time * 1e9))
    }
    if subject.trace.capture?.mode != .attach,
      // By looks from outside a launch may be over before the first of them: of that nothing is known.
      let ready = mark ?? ready(main: main, in: subject), ready > subject.start
    {
      signal.launchSeconds = (ready - subject.start).seconds
      signal.launchHow =
        "from the start of the process to "
        + (mark == nil ? "the first event wait" : "the ready mark")
      signal.launch = LaunchMeasure.measure(main: main, ready: ready, in: subject)
    }
    let caught = subject.trace.footprints.lazy.filter { $0.pid == subject.pid }
      .compactMap { reading in
        reading.sample.catches(15).map { $0 || reading.sample.catches(2) == true }
      }
    signal.catchesTermination = caught.isEmpty ? nil : caught.contains(true)
    let asked = terminationRequest(in: subject)
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
      guard let thread else { return nil }
      let history = subject.history(of: thread)
      guard history.totals.eventWaits > 0 else { return nil }
      return history.first { $0.state == .blocked(.eventWait) }?.start
    }.min()
  }

  /// When the subject began to quit: as it was told to, or a second before it ended by itself.
  ///
  /// Nil where that was not recorded; the last second of a run of less than ten is as much its work as its quitting.
  static func quitting(in subject: SubjectView) -> Timestamp? {
    if let asked = terminationRequest(in: subject) { return asked.time }
    guard let end = subject.trace.subject.end, end <= subject.trace.end, subject.seconds >= 10
    else {
      return nil
    }
    return end + TimeSpan(seconds: -1)
  }

  /// The first signal that told the subject to end: SIGTERM is 15, SIGINT is 2.
  static func terminationRequest(in subject: SubjectView) -> SignalDelivery? {
    subject.trace.signals.first {
      $0.pid == subject.pid && ($0.number == 15 || $0.number == 2)
    }
  }
}
