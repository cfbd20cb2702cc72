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

  static func began(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let job = context.integer("job"), let place = JobPlace(context.integer) else { return }
    let names = state.stacks.job(context, place)
    state.jobs.begin(
      pid: context.pid, tid: context.tid, job: job,
      isMainActor: names.executor?.contains("MainExecutor") == true, function: names.function,
      at: context.time)
  }

  static func ended(_ context: DecodingContext, _ state: inout LoaderState) {
    state.jobs.end(tid: context.tid, at: context.time)
  }
}
