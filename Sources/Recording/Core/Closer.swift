import Dispatch
import Glibc
import Synchronization

/// Closes descriptors beside the recording, in their order: for each the kernel may wait for all CPUs, 30 to 120 ms.
final class Closer: Sendable {
  private struct State {
    var waiting: ArraySlice<Int32> = []
    var workers = 0
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let width: Int

  /// Closes so many at once: what waits for the same takes no longer than one of them.
  init(_ label: String, width: Int = 1) {
    queue = DispatchQueue(label: label, attributes: .concurrent)
    self.width = width
  }

  func close(_ descriptors: some Sequence<Int32>) {
    let added = state.withLock { state in
      state.waiting += descriptors
      let added = max(0, min(width, state.waiting.count) - state.workers)
      state.workers += added
      return added
    }
    for _ in 0..<added {
      queue.async { [self] in
        while let next = next() { Glibc.close(next) }
      }
    }
  }

  /// The next to close; nil ends a worker.
  private func next() -> Int32? {
    state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.workers -= 1 }
      return next
    }
  }

  /// Gives up those that it has not come to: after a build, which runs dozens of programs, they are seconds' worth.
  func takeRest() -> [Int32] {
    state.withLock { state in
      defer { state.waiting = [] }
      return Array(state.waiting)
    }
  }

  /// Waits until all are closed.
  func finish() { queue.sync(flags: .barrier) {} }
}
