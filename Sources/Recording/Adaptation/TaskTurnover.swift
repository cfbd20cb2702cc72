/// How fast the target's tasks come and go.
///
/// A clock of a task begins anew in each child, so that none which ends before the clock's first tick is ever sampled;
/// and a new thread is given each of its creator's events of each CPU, which takes 0.9 ms for all.
struct TaskTurnover {
  /// Tasks that ended: the few that a program is done with soon, and then a couple a second.
  private var ends = TokenBucket(.init(burst: 4, perSecond: 2))
  /// Threads that began: those of large pools, and then as many as take a tenth of a CPU.
  private var begins = TokenBucket(.init(burst: 100, perSecond: 100))
  private var last: UInt64 = 0

  /// Tasks that ended since the last look.
  var ended = 0.0
  /// Threads that began since the last look, not processes.
  var begun = 0.0
  /// At the last look.
  private(set) var threadsPerSecond = 0.0

  /// Looks at what came since the last look: whether many tasks end early, and whether threads are too many.
  mutating func judge(now: UInt64) -> (endEarly: Bool, areMany: Bool) {
    let seconds = last == 0 ? 0 : Double(now &- last) / 1e9
    last = now
    defer { (ended, begun) = (0, 0) }
    threadsPerSecond = seconds > 0 ? begun / seconds : 0
    let endEarly = ends.take(ended, in: seconds)
    return (endEarly, begins.take(begun, in: seconds))
  }
}
