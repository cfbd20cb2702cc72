/// What Swift concurrency did: jobs, which are the stretches between two suspensions of a task.
public struct ConcurrencySignal: Sendable, Hashable, Codable {
  /// Jobs that ran.
  public var jobs: Int = 0
  /// Of these, on MainActor.
  public var mainActorJobs: Int = 0
  /// How long MainActor's jobs ran in all.
  public var mainActorSeconds: Double = 0
  /// Tasks that were created.
  public var tasksCreated: Int = 0
  /// The longest of all jobs, longest first.
  public var longestJobs: [JobSignal] = []
  /// The jobs that waited longest for their executor, longest first.
  public var longestWaits: [JobSignal] = []
  /// Why they were not recorded to the end.
  public var stopped: String?
}

/// One job.
public struct JobSignal: Sendable, Hashable, Codable {
  /// Seconds from the start of the trace.
  public var start: Double
  /// How long it ran.
  public var durationSeconds: Double = 0
  /// From being handed to its executor to running; nil where that was not seen.
  public var waitSeconds: Double?
  /// Kernel thread id.
  public var tid: Int = 0
  /// Whether it ran on MainActor.
  public var isMainActor: Bool = false
  /// The function it went on with, nil where none is known.
  public var frame: StackFrame?
}
