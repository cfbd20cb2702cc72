/// What Swift concurrency did: jobs, which are the stretches between two suspensions of a task.
package struct ConcurrencySignal: Sendable, Hashable, Codable {
  /// Jobs that ran.
  package var jobs: Int
  /// Of these, on MainActor.
  package var mainActorJobs: Int
  /// How long MainActor's jobs ran in all.
  package var mainActorSeconds: Double
  /// Tasks that were created.
  package var tasksCreated: Int
  /// The longest of all jobs, longest first.
  package var longestJobs: [JobSignal]
  /// The jobs that waited longest for their executor, longest first.
  package var longestWaits: [JobSignal]
  /// Why they were not recorded to the end.
  package var stopped: String?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    jobs: Int = 0, mainActorJobs: Int = 0, mainActorSeconds: Double = 0, tasksCreated: Int = 0,
    longestJobs: [JobSignal] = [], longestWaits: [JobSignal] = [], stopped: String? = nil
  ) {
    self.jobs = jobs
    self.mainActorJobs = mainActorJobs
    self.mainActorSeconds = mainActorSeconds
    self.tasksCreated = tasksCreated
    self.longestJobs = longestJobs
    self.longestWaits = longestWaits
    self.stopped = stopped
  }
}

/// One job.
package struct JobSignal: Sendable, Hashable, Codable {
  /// Seconds from the start of the trace.
  package var start: Double
  /// How long it ran.
  package var durationSeconds: Double
  /// From being handed to its executor to running; nil where that was not seen.
  package var waitSeconds: Double?
  /// Kernel thread id.
  package var tid: Int
  /// Whether it ran on MainActor.
  package var isMainActor: Bool
  /// The function it went on with, nil where none is known.
  package var frame: StackFrame?

  /// Makes the value from its parts; what is left out is zero or unknown.
  package init(
    start: Double, durationSeconds: Double = 0, waitSeconds: Double? = nil, tid: Int = 0,
    isMainActor: Bool = false, frame: StackFrame? = nil
  ) {
    self.start = start
    self.durationSeconds = durationSeconds
    self.waitSeconds = waitSeconds
    self.tid = tid
    self.isMainActor = isMainActor
    self.frame = frame
  }
}
