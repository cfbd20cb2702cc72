import Dispatch
import Synchronization

/// Records on their way from the core that reads and orders to the one that decodes.
///
/// To wake a core takes both longer than a part does, so who waits for the other is woken for some parts at once.
final class RoundQueue: Sendable {
  /// Parts that may wait: enough to go on with while a round is read to its end.
  private static let capacity = 16
  /// With so many free the reader goes on.
  private static let worthReading = 8
  /// With so many to read the other side goes on.
  private static let worthTaking = 4

  private struct Waiting {
    var parts: [RecordPart] = []
    /// Parts that were read, for what comes next.
    var read: [RecordPart] = []
    var isAbandoned = false
    /// The reader waits for room.
    var isReaderWaiting = false
    /// The other side waits for parts.
    var isTakerWaiting = false
    /// Of all that was read; nil before the end.
    var times: PassTimes?
  }

  private let waiting = Mutex(Waiting())
  private let filled = DispatchSemaphore(value: 0)
  private let free = DispatchSemaphore(value: 0)

  /// False when nobody wants more.
  func put(_ part: RecordPart) -> Bool {
    let (isWaitedFor, isWanted) = waiting.withLock {
      $0.parts.append(part)
      let isWaitedFor = $0.isTakerWaiting && $0.parts.count >= Self.worthTaking
      if isWaitedFor { $0.isTakerWaiting = false }
      return (isWaitedFor, !$0.isAbandoned)
    }
    if isWaitedFor { filled.signal() }
    return isWanted
  }

  /// A part to write to, once there is room for it.
  func empty() -> RecordPart {
    let waits = waiting.withLock {
      $0.isReaderWaiting = $0.parts.count >= Self.capacity && !$0.isAbandoned
      return $0.isReaderWaiting
    }
    if waits { free.wait() }
    return waiting.withLock { $0.read.popLast() } ?? RecordPart()
  }

  /// No more will come.
  func end(_ times: PassTimes) {
    let isWaitedFor = waiting.withLock {
      $0.times = times
      return exchange(&$0.isTakerWaiting, with: false)
    }
    if isWaitedFor { filled.signal() }
  }

  /// Whether the other side is behind: who puts has time for other work then.
  var isFull: Bool { waiting.withLock { $0.parts.count >= Self.capacity } }

  /// The next part, nil at the end; `read` is the one before it. Does what there is to do `beside` before it waits; that tells whether
  /// there was anything.
  func take(_ read: RecordPart?, beside: () -> Bool) -> RecordPart? {
    var read = read
    while true {
      if waiting.withLock({ $0.parts.isEmpty && $0.times == nil }) {
        while beside(), waiting.withLock({ $0.parts.isEmpty }) {}
      }
      let (part, isWaitedFor, waits) = waiting.withLock {
        if let part = read.take() { $0.read.append(part) }
        let part = $0.parts.isEmpty ? nil : $0.parts.removeFirst()
        let isWaitedFor =
          $0.isReaderWaiting && Self.capacity - $0.parts.count >= Self.worthReading
        if isWaitedFor { $0.isReaderWaiting = false }
        $0.isTakerWaiting = part == nil && $0.times == nil
        return (part, isWaitedFor, $0.isTakerWaiting)
      }
      if isWaitedFor { free.signal() }
      guard waits else { return part }
      filled.wait()
    }
  }

  /// Of all that was read, after the end.
  var times: PassTimes { waiting.withLock { $0.times } ?? PassTimes() }

  /// Lets the reader end without waiting.
  func abandon() {
    let isWaitedFor = waiting.withLock {
      $0.isAbandoned = true
      return exchange(&$0.isReaderWaiting, with: false)
    }
    if isWaitedFor { free.signal() }
  }
}
