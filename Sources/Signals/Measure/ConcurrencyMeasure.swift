import Quantities
import TraceModel

/// Measures Swift concurrency from the recorder's probes in its runtime.
enum ConcurrencyMeasure {
  private static let shown = 10

  /// Nil where the runtime was not probed, or ran nothing.
  static func measure(_ subject: SubjectView) -> ConcurrencySignal? {
    let trace = subject.trace
    var signal = ConcurrencySignal()
    var mainTime = TimeSpan.zero
    var longestJobs = Longest()
    var longestWaits = Longest()
    for job in trace.jobs.runs(of: subject.pid) {
      signal.jobs += 1
      longestJobs.offer(job, job.length)
      if let wait = job.wait { longestWaits.offer(job, wait) }
      guard job.isMainActor else { continue }
      signal.mainActorJobs += 1
      mainTime += job.length
    }
    signal.mainActorSeconds = mainTime.seconds
    signal.longestJobs = longestJobs.jobs.map { Self.signal($0.job, subject) }
    signal.longestWaits = longestWaits.jobs.map { Self.signal($0.job, subject) }
    signal.tasksCreated = trace.createdTasks.count(of: subject.pid)
    signal.stopped = trace.capture?.unavailable.first { $0.signal == "concurrency" }?.reason
    // Where none was recorded there may have been any number.
    return signal.jobs > 0 || signal.tasksCreated > 0 ? signal : nil
  }

  /// MainActor's jobs that were hangs, though no event loop and no turn showed them.
  static func hangs(besides known: [Hang], _ subject: SubjectView) -> [Hang] {
    subject.trace.jobs.runs(of: subject.pid, onMainActor: true).compactMap { job in
      guard let severity = HangSeverity(durationSeconds: job.length.seconds) else { return nil }
      let (start, end) = (subject.time(job.start), subject.time(job.end))
      if known.contains(where: { $0.start < end && $0.start + $0.durationSeconds > start }) {
        return nil
      }
      return MainThreadMeasure.hang(job, severity: severity, in: subject)
    }.sorted { $0.start < $1.start }
  }

  /// The longest of the jobs that it is offered, longest first, of equal ones the earlier.
  private struct Longest {
    private(set) var jobs: [(job: JobRun, length: TimeSpan)] = []

    // There are a hundred thousand a minute.
    mutating func offer(_ job: JobRun, _ length: TimeSpan) {
      if jobs.count == shown, let last = jobs.last, last.length > length { return }
      let place = jobs.firstIndex {
        ($0.length, job.start) < (length, $0.job.start)
      }
      jobs.insert((job, length), at: place ?? jobs.count)
      if jobs.count > shown { jobs.removeLast() }
    }
  }

  private static func signal(_ job: JobRun, _ subject: SubjectView) -> JobSignal {
    JobSignal(
      start: subject.time(job.start), durationSeconds: job.length.seconds,
      waitSeconds: job.wait?.seconds, tid: Int(job.tid), isMainActor: job.isMainActor,
      frame: job.function.map { StackFrame($0) })
  }
}
