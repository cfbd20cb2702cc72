import Dispatch
import Synchronization

/// Records on their way from the core that reads and orders to the one that decodes.
final class RoundQueue: Sendable {
  /// Parts that may wait: enough to go on with while a round is read to its end.
  private static let capacity = 16

  private struct Waiting {
    var parts: [RecordPart] = []
    /// Parts that were read, for what comes next.
    var read: [RecordPart] = []
    var isAbandoned = false
    var times = PassTimes()
  }

  private let waiting = Mutex(Waiting())
  private let filled = DispatchSemaphore(value: 0)
  private let free = DispatchSemaphore(value: RoundQueue.capacity)

  /// False when nobody wants more.
  func put(_ part: RecordPart) -> Bool {
    free.wait()
    let wanted = waiting.withLock {
      $0.parts.append(part)
      return !$0.isAbandoned
    }
    filled.signal()
    return wanted
  }

  /// No more will come.
  func end(_ times: PassTimes) {
    waiting.withLock { $0.times = times }
    filled.signal()
  }

  /// The next part; `read` is the one before it.
  func take(_ read: RecordPart?) -> RecordPart? {
    filled.wait()
    let part = waiting.withLock {
      if let read { $0.read.append(read) }
      return $0.parts.isEmpty ? nil : $0.parts.removeFirst()
    }
    free.signal()
    return part
  }

  /// A part to write to.
  func empty() -> RecordPart { waiting.withLock { $0.read.popLast() } ?? RecordPart() }

  var times: PassTimes { waiting.withLock { $0.times } }

  /// Lets the reader run to its end without waiting.
  func abandon() {
    waiting.withLock { $0.isAbandoned = true }
    free.signal()
  }
}
