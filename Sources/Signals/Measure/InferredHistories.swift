import Quantities
import Synchronization
import TraceModel

/// What threads waited for, inferred once however many measurements look at them.
final class InferredHistories: Sendable {
  /// Numbers of threads are used again.
  private struct Key: Hashable {
    var tid: Int32
    var start: Timestamp
  }

  private let known = Mutex<[Key: ThreadHistory]>([:])

  /// A thread's life with the causes of unknown waits inferred.
  func history(of thread: ThreadModel) -> ThreadHistory {
    let key = Key(tid: thread.tid, start: thread.start)
    if let history = known.withLock({ $0[key] }) { return history }
    let history = WaitInference.infer(thread.intervals)
    known.withLock { $0[key] = history }
    return history
  }

  /// How many of a thread's waits were recorded.
  func sampling(of thread: ThreadModel) -> WaitSampling {
    WaitInference.sampling(of: thread.intervals, inferred: history(of: thread))
  }
}
