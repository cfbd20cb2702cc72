import PerfData
import Quantities

/// What tells of blocked time without switches: `perf record --off-cpu`, and `perf lock record`.
enum BlockedSampleDecoder {
  /// No sample stands for more, in nanoseconds: a year.
  private static let longest: UInt64 = 365 * 86_400_000_000_000
  /// LCB_F_SPIN of include/trace/events/lock.h: the thread does not sleep.
  private static let spins: Int64 = 1

  /// offcpu-time: the period is how long threads with that stack were off the CPUs, in nanoseconds.
  static func offCPU(_ context: DecodingContext, _ state: inout LoaderState) {
    append(context, &state, nanoseconds: context.weight, cause: nil)
  }

  static func contentionBegin(_ context: DecodingContext, _ state: inout LoaderState) {
    guard (context.integer("flags") ?? 0) & spins == 0 else { return }
    state.contentions[context.tid] = context.time
  }

  static func contentionEnd(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let begin = state.contentions.removeValue(forKey: context.tid), context.time > begin
    else { return }
    append(
      context, &state, nanoseconds: context.time.nanoseconds - begin.nanoseconds, cause: .lock)
  }

  private static func append(
    _ context: DecodingContext, _ state: inout LoaderState, nanoseconds: UInt64, cause: WaitCause?
  ) {
    let stack = state.stacks.stack(of: context)
    state.tables.blockedSamples.append(
      BlockedSample(
        time: context.time, pid: context.pid, tid: context.tid, stack: stack,
        cause: cause ?? stack.map { state.stacks.cause(of: $0) } ?? .unknown,
        length: TimeSpan(nanoseconds: Int64(min(nanoseconds, longest)))))
  }
}
