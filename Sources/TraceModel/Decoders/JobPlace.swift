import PerfData

/// Where a job of Swift concurrency goes on, as a probe of the runtime tells it.
struct JobPlace {
  var resume: UInt64
  /// Of a task, the innermost first.
  var callers: [UInt64]
  var executor: UInt64

  private static let callerWords: [StaticString] = [
    "caller", "caller2", "caller3", "caller4", "caller5", "caller6",
  ]

  /// The fields that hold addresses.
  static let words = Set((["resume", "executor"] + callerWords).map { "\($0)" })

  /// Whether an event is one of which such places are told.
  static func isTold(by format: TracepointFormat) -> Bool {
    format.name == "swift_job_run" && format.system.hasPrefix("lull_")
  }

  /// By the event's fields; nil where it lacks one.
  init?(_ integer: (StaticString) -> Int64?) {
    guard let resume = integer("resume"), let executor = integer("executor") else { return nil }
    self.resume = UInt64(bitPattern: resume)
    // The two lowest bits are the runtime's flags (SerialExecutorRef).
    self.executor = UInt64(bitPattern: executor) & ~3
    // What is no task has no callers there.
    let isTask = integer("flags").map { $0 & 0xff == 0 } ?? false
    callers =
      isTask ? Self.callerWords.compactMap { integer($0).map { UInt64(bitPattern: $0) } } : []
  }

  /// By what a trace tells its names.
  func key(pid: Int32) -> Int {
    StackKey.of(pid: pid, resume: resume, callers: callers, executor: executor)
  }
}
