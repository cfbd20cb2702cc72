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

  /// A lock that a thread does not get at once.
  ///
  /// While it waits for one it may spin for others, as that of a CPU's queue, whose ends are not its own. A mutex is
  /// spun for first and begins anew when the thread sleeps; both end at once.
  static func contentionBegin(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let lock = context.integer("lock_addr") else { return }
    let key = Contention.Key(tid: context.tid, lock: lock)
    let isSpinning = (context.integer("flags") ?? 0) & spins != 0
    if isSpinning, state.contentions[key] == nil { return }
    state.contentions[key, default: Contention()].goOn(isSpinning: isSpinning, at: context.time)
  }

  static func contentionEnd(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let slept = slept(context, &state) else { return }
    append(context, &state, nanoseconds: slept, cause: .lock)
  }

  /// For how many nanoseconds a thread slept until it got the lock; nil where it did not.
  static func slept(_ context: DecodingContext, _ state: inout LoaderState) -> UInt64? {
    guard let lock = context.integer("lock_addr"),
      var contention = state.contentions.removeValue(
        forKey: Contention.Key(tid: context.tid, lock: lock))
    else { return nil }
    contention.goOn(isSpinning: true, at: context.time)
    return contention.slept > 0 ? contention.slept : nil
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

/// A thread's wait for a lock of the kernel, as far as it is over.
struct Contention {
  struct Key: Hashable {
    var tid: Int32
    var lock: Int64
  }

  /// Since when it sleeps; nil while it spins.
  private var since: Timestamp?
  /// For so many nanoseconds it slept.
  private(set) var slept: UInt64 = 0

  mutating func goOn(isSpinning: Bool, at time: Timestamp) {
    if let since, time > since { slept += time.nanoseconds - since.nanoseconds }
    since = isSpinning ? nil : time
  }
}
