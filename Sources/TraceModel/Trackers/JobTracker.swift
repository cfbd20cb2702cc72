import PerfData
import Quantities

/// Follows jobs of Swift concurrency from their executor's queue to their end.
struct JobTracker {
  private struct Key: Hashable {
    var pid: Int32
    var job: Int64
  }

  private(set) var runs = JobLog()
  private(set) var created = TaskLog()
  private var waiting: [Key: Timestamp] = [:]
  /// What each thread runs; a job may run another within itself.
  private var open: [Int32: [JobRun]] = [:]
  /// A return that was lost must not make a stack grow for ever.
  private static let deepest = 16

  mutating func create(pid: Int32, at time: Timestamp) { created.append(pid: pid, at: time) }

  mutating func enqueue(pid: Int32, job: Int64, at time: Timestamp) {
    waiting[Key(pid: pid, job: job)] = time
  }

  mutating func begin(
    pid: Int32, tid: Int32, job: Int64, isMainActor: Bool, function: Frame?, at time: Timestamp
  ) {
    if open[tid, default: []].count >= Self.deepest { open[tid] = [] }
    open[tid, default: []].append(
      JobRun(
        start: time, end: time, pid: pid, tid: tid,
        enqueued: waiting.removeValue(forKey: Key(pid: pid, job: job)), isMainActor: isMainActor,
        function: function))
  }

  mutating func end(tid: Int32, at time: Timestamp) {
    guard var run = open[tid]?.popLast() else { return }
    run.end = time
    runs.append(run)
  }
}

/// The recorder's probes on the runtime of Swift concurrency.
enum JobDecoder {
  static let decoders: [String: SampleDecoder] = [
    "swift_task_create": created, "swift_task_enqueue": enqueued, "swift_job_run": began,
    "swift_job_run_ret": ended,
  ]

  private static func created(_ context: DecodingContext, _ state: inout LoaderState) {
    state.jobs.create(pid: context.pid, at: context.time)
  }

  private static func enqueued(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let job = context.integer("job") else { return }
    state.jobs.enqueue(pid: context.pid, job: job, at: context.time)
  }

  private static func began(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let job = context.integer("job"), let resume = context.integer("resume"),
      let executor = context.integer("executor")
    else { return }
    let names = state.stacks.job(
      context, resume: UInt64(bitPattern: resume),
      // The two lowest bits are the runtime's flags (SerialExecutorRef).
      executor: UInt64(bitPattern: executor) & ~3)
    state.jobs.begin(
      pid: context.pid, tid: context.tid, job: job,
      isMainActor: names.executor?.contains("MainExecutor") == true, function: names.function,
      at: context.time)
  }

  private static func ended(_ context: DecodingContext, _ state: inout LoaderState) {
    state.jobs.end(tid: context.tid, at: context.time)
  }
}
