import Dispatch
import Synchronization

/// Records on their way from the core that reads and orders to the one that decodes.
///
/// To wake a core takes both longer than a batch does, so who waits for the other is woken for some batches at once.
final class BatchQueue: Sendable {
  /// Batches that may wait: enough to go on with while a round is read to its end.
  private static let capacity = 16
  /// With so many free the reader goes on.
  private static let worthReading = 8
  /// With so many to read the other side goes on.
  private static let worthTaking = 4

  private struct Waiting {
    var batches: [RecordBatch] = []
    /// Batches that were read, for what comes next.
    var read: [RecordBatch] = []
    var isAbandoned = false
    /// The reader waits for room.
    var isReaderWaiting = false
    /// The other side waits for batches.
    var isTakerWaiting = false
    /// Of all that was read; nil before the end.
    var times: RecordTimes?
  }

  private let waiting = Mutex(Waiting())
  private let filled = DispatchSemaphore(value: 0)
  private let free = DispatchSemaphore(value: 0)

  /// False when nobody wants more.
  func put(_ batch: RecordBatch) -> Bool {
    let (isWaitedFor, isWanted) = waiting.withLock {
      $0.batches.append(batch)
      let isWaitedFor = $0.isTakerWaiting && $0.batches.count >= Self.worthTaking
      if isWaitedFor { $0.isTakerWaiting = false }
      return (isWaitedFor, !$0.isAbandoned)
    }
    if isWaitedFor { filled.signal() }
    return isWanted
  }

  /// A batch to write to, once there is room for it.
  func empty() -> RecordBatch {
    let waits = waiting.withLock {
      $0.isReaderWaiting = $0.batches.count >= Self.capacity && !$0.isAbandoned
      return $0.isReaderWaiting
    }
    if waits { free.wait() }
    return waiting.withLock { $0.read.popLast() } ?? RecordBatch()
  }

  /// No more will come.
  func end(_ times: RecordTimes) {
    let isWaitedFor = waiting.withLock {
      $0.times = times
      return exchange(&$0.isTakerWaiting, with: false)
    }
    if isWaitedFor { filled.signal() }
  }

  /// Whether the other side is behind: who puts has time for other work then.
  var isFull: Bool { waiting.withLock { $0.batches.count >= Self.capacity } }

  /// The next batch, nil at the end; `read` is the one before it. Does what there is to do `beside` before it waits;
  /// that tells whether there was anything.
  func take(_ read: RecordBatch?, beside: () -> Bool) -> RecordBatch? {
    var read = read
    while true {
      if waiting.withLock({ $0.batches.isEmpty && $0.times == nil }) {
        while beside(), waiting.withLock({ $0.batches.isEmpty }) {}
      }
      let (batch, isWaitedFor, waits) = waiting.withLock {
        if let batch = read.take() { $0.read.append(batch) }
        let batch = $0.batches.isEmpty ? nil : $0.batches.removeFirst()
        let isWaitedFor =
          $0.isReaderWaiting && Self.capacity - $0.batches.count >= Self.worthReading
        if isWaitedFor { $0.isReaderWaiting = false }
        $0.isTakerWaiting = batch == nil && $0.times == nil
        return (batch, isWaitedFor, $0.isTakerWaiting)
      }
      if isWaitedFor { free.signal() }
      guard waits else { return batch }
      filled.wait()
    }
  }

  /// Of all that was read, after the end.
  var times: RecordTimes { waiting.withLock { $0.times } ?? RecordTimes() }

  /// Lets the reader end without waiting.
  func abandon() {
    let isWaitedFor = waiting.withLock {
      $0.isAbandoned = true
      return exchange(&$0.isReaderWaiting, with: false)
    }
    if isWaitedFor { free.signal() }
  }
}
