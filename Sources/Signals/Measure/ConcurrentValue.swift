import Dispatch
import Processors
import Synchronization

/// A value that another core works out while this one goes on.
final class ConcurrentValue<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let done = DispatchSemaphore(value: 0)
  private let compute: @Sendable () -> Value

  init(_ compute: @escaping @Sendable () -> Value) {
    self.compute = compute
    let begins = NeighbourThread.begin {
      let value = compute()
      self.result.withLock { $0 = value }
      self.done.signal()
    }
    if !begins { done.signal() }
  }

  /// Waits for the value.
  var value: Value {
    done.wait()
    defer { done.signal() }
    return result.withLock { $0 } ?? compute()
  }
}
