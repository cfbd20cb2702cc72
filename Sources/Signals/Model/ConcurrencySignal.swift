/// What Swift concurrency did: jobs, which are the stretches between two suspensions of a task.
package struct ConcurrencySignal: Sendable, Equatable {
  /// Jobs that ran.
  package var jobs: Int = 0
  /// Of these, on MainActor.
  package var mainActorJobs: Int = 0
  /// How long MainActor's jobs ran in all.
  package var mainActorSeconds: Double = 0
  /// Tasks that were created.
  package var tasksCreated: Int = 0
  /// The longest of all jobs, longest first.
  package var longestJobs: [JobSignal] = []
  /// The jobs that waited longest for their executor, longest first.
  package var longestWaits: [JobSignal] = []
  /// Why they were not recorded to the end.
  package var stopped: String?
}

/// One job.
package struct JobSignal: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var start: Double
  /// How long it ran.
  package var durationSeconds: Double = 0
  /// From being handed to its executor to running; nil where that was not seen.
  package var waitSeconds: Double?
  /// Kernel thread id.
  package var tid: Int = 0
  /// Whether it ran on MainActor.
  package var isMainActor: Bool = false
  /// The function it went on with, nil where none is known.
  package var frame: StackFrame?
}
