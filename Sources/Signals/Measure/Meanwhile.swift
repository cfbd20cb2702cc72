import Dispatch
import Synchronization

/// A value that another core works out while this one goes on.
final class Meanwhile<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let done = DispatchGroup()
  private let compute: @Sendable () -> Value

  init(_ compute: @escaping @Sendable () -> Value) {
    self.compute = compute
    DispatchQueue.global(qos: .userInitiated).async(group: done) {
      let value = compute()
      self.result.withLock { $0 = value }
    }
  }

  /// Waits for the value.
  var value: Value {
    done.wait()
    return result.withLock { $0 } ?? compute()
  }
}
