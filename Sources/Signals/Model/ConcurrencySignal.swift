/// What Swift concurrency did: jobs, which are the stretches between two suspensions of a task.
public struct ConcurrencySignal: Sendable, Hashable, Codable {
  /// Jobs that ran.
  public var jobs: Int
  /// Of these, on MainActor.
  public var mainActorJobs: Int
  /// How long MainActor's jobs ran in all.
  public var mainActorSeconds: Double
  /// Tasks that were created.
  public var tasksCreated: Int
  /// The longest of all jobs, longest first.
  public var longestJobs: [JobSignal]
  /// The jobs that waited longest for their executor, longest first.
  public var longestWaits: [JobSignal]
  /// Why they were not recorded to the end.
  public var stopped: String?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
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
public struct JobSignal: Sendable, Hashable, Codable {
  /// Seconds from the start of the trace.
  public var start: Double
  /// How long it ran.
  public var durationSeconds: Double
  /// From being handed to its executor to running; nil where that was not seen.
  public var waitSeconds: Double?
  /// Kernel thread id.
  public var tid: Int
  /// Whether it ran on MainActor.
  public var isMainActor: Bool
  /// The function it went on with, nil where none is known.
  public var frame: StackFrame?

  /// Makes the value from its parts; what is left out is zero or unknown.
  public init(
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
