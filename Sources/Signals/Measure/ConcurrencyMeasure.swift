import PerfData
import TraceModel

/// Measures Swift concurrency from the recorder's probes in its runtime.
enum ConcurrencyMeasure {
  private static let shown = 10

  /// Nil where the runtime was not probed, or ran nothing.
  static func measure(_ subject: SubjectView) -> ConcurrencySignal? {
    let trace = subject.trace
    let jobs = trace.jobs.lazy.filter { $0.pid == subject.pid }
    var (count, mainCount, mainTime) = (0, 0, TimeSpan.zero)
    for job in jobs {
      count += 1
      guard job.isMainActor else { continue }
      mainCount += 1
      mainTime += job.length
    }
    let created = trace.createdTasks.count(of: subject.pid)
    let stopped = trace.capture?.unavailable.first { $0.signal == "concurrency" }?.reason
    guard count > 0 || created > 0 || stopped != nil else { return nil }
    return ConcurrencySignal(
      jobs: count, mainActorJobs: mainCount, mainActorSeconds: mainTime.seconds,
      tasksCreated: created,
      longestJobs: largest(jobs) { $0.length }.map { signal($0, subject) },
      longestWaits: largest(jobs.filter { $0.wait != nil }) { $0.wait ?? .zero }
        .map { signal($0, subject) }, stopped: stopped)
  }

  /// MainActor's jobs that were hangs, though no event loop and no turn showed them.
  static func hangs(besides known: [Hang], _ subject: SubjectView) -> [Hang] {
    subject.trace.jobs.compactMap { job in
      guard job.pid == subject.pid, job.isMainActor,
        let severity = HangSeverity(durationSeconds: job.length.seconds)
      else { return nil }
      let (start, end) = (subject.time(job.start), subject.time(job.end))
      if known.contains(where: { $0.start < end && $0.start + $0.durationSeconds > start }) {
        return nil
      }
      return MainThreadMeasure.hang(job, severity: severity, in: subject)
    }.sorted { $0.start < $1.start }
  }

  /// The longest, of equal ones the earlier first.
  private static func largest(
    _ jobs: some Sequence<JobRun>, by length: (JobRun) -> TimeSpan
  ) -> [JobRun] {
    func precedes(_ job: JobRun, _ other: JobRun) -> Bool {
      (length(other), job.start) < (length(job), other.start)
    }
    var largest: [JobRun] = []
    // There are a hundred thousand a minute.
    for job in jobs {
      if largest.count == shown, let last = largest.last, !precedes(job, last) { continue }
      largest.insert(job, at: largest.firstIndex { precedes(job, $0) } ?? largest.count)
      if largest.count > shown { largest.removeLast() }
    }
    return largest
  }

  private static func signal(_ job: JobRun, _ subject: SubjectView) -> JobSignal {
    JobSignal(
      start: subject.time(job.start), durationSeconds: job.length.seconds,
      waitSeconds: job.wait?.seconds, tid: Int(job.tid), isMainActor: job.isMainActor,
      frame: job.function.map {
        StackFrame(
          function: $0.displayName, module: $0.module, file: $0.file, line: $0.line,
          isProgram: $0.isProgram)
      })
  }
}
