import Dispatch
import Glibc
import Synchronization

/// Closes descriptors beside the recording, in their order: for each the kernel may wait for all CPUs, 30 to 120 ms.
final class Closer: Sendable {
  private let waiting = Mutex<ArraySlice<Int32>>([])
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func close(_ descriptors: some Sequence<Int32>) {
    waiting.withLock { $0 += descriptors }
    queue.async { [self] in
      while let next = waiting.withLock({ $0.popFirst() }) { Glibc.close(next) }
    }
  }

  /// Gives up those that it has not come to: after a build, which runs dozens of programs, they are some seconds' worth.
  func takeRest() -> [Int32] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return Array(waiting)
    }
  }

  /// Waits until all are closed.
  func finish() { queue.sync {} }
}
