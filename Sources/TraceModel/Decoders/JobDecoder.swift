import PerfData

/// The recorder's probes on the runtime of Swift concurrency.
enum JobDecoder {
  static func created(_ context: DecodingContext, _ state: inout LoaderState) {
    state.jobs.create(pid: context.pid, at: context.time)
  }

  static func enqueued(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let job = context.integer("job") else { return }
    state.jobs.enqueue(pid: context.pid, job: job, at: context.time)
  }

  /// The innermost first.
  private static let callers: [StaticString] = [
    "caller", "caller2", "caller3", "caller4", "caller5", "caller6",
  ]

  static func began(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let job = context.integer("job"), let resume = context.integer("resume"),
      let executor = context.integer("executor")
    else { return }
    // What is no task has no callers there.
    let isTask = context.integer("flags").map { $0 & 0xff == 0 } ?? false
    let callers = isTask ? Self.callers.compactMap { context.integer($0) } : []
    let names = state.stacks.job(
      context, resume: UInt64(bitPattern: resume),
      callers: callers.map { UInt64(bitPattern: $0) },
      // The two lowest bits are the runtime's flags (SerialExecutorRef).
      executor: UInt64(bitPattern: executor) & ~3)
    state.jobs.begin(
      pid: context.pid, tid: context.tid, job: job,
      isMainActor: names.executor?.contains("MainExecutor") == true, function: names.function,
      at: context.time)
  }

  static func ended(_ context: DecodingContext, _ state: inout LoaderState) {
    state.jobs.end(tid: context.tid, at: context.time)
  }
}
