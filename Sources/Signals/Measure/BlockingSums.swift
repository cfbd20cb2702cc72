import Quantities
import TraceModel

/// Waits by cause and stack.
struct BlockingSums {
  private struct Key: Hashable {
    var cause: WaitCause
    var stack: Int?
  }

  private struct Sum {
    var time = TimeSpan.zero
    var count = 0
    /// How often each thread ended it.
    var ended: [Int32: Int] = [:]

    mutating func add(_ waker: Int32?, count: Int, _ time: TimeSpan) {
      self.time += time
      self.count += count
      if let waker { ended[waker, default: 0] += count }
    }

    /// Threads of which name ended it most often.
    func waker(_ names: [Int32: String]) -> String? {
      var counts: [String: Int] = [:]
      for (tid, count) in ended { if let name = names[tid] { counts[name, default: 0] += count } }
      return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
  }

  private var sums: [Key: Sum] = [:]

  /// Of a whole history from a place on.
  init(_ history: ThreadHistory, from position: Int) {
    for tally in history.waits(from: position) {
      add(tally.cause, tally.stack, tally.waker, count: tally.count, tally.time)
    }
  }

  init(_ intervals: some Sequence<ThreadInterval>) { add(intervals) }

  mutating func add(_ intervals: some Sequence<ThreadInterval>) {
    for interval in intervals {
      guard case .blocked(let cause) = interval.state else { continue }
      add(cause, interval.stack, interval.waker, count: 1, interval.length)
    }
  }

  private mutating func add(
    _ cause: WaitCause, _ stack: Int?, _ waker: Int32?, count: Int, _ time: TimeSpan
  ) {
    guard !cause.isIdle else { return }
    sums[Key(cause: cause, stack: stack), default: Sum()].add(waker, count: count, time)
  }

  /// The longest first.
  func blockings(_ subject: SubjectView) -> [Blocking] {
    let names = Dictionary(
      subject.trace.threads.map { ($0.tid, $0.name) }, uniquingKeysWith: { $1 })
    return sums.sorted {
      ($1.value.time, $0.key.stack ?? -1) < ($0.value.time, $1.key.stack ?? -1)
    }.map { key, sum in
      Blocking(
        cause: key.cause, seconds: sum.time.seconds, count: sum.count,
        stack: subject.frames(key.stack), waker: sum.waker(names))
    }
  }
}
