import Dispatch
import Synchronization

/// Rounds on their way from the core that reads and orders to the one that decodes.
private final class RoundQueue: Sendable {
  /// Rounds that may wait: few, since each holds its records.
  private static let capacity = 3

  private struct Waiting {
    var rounds: [[RecordEntry]] = []
    var isOver = false
    var isAbandoned = false
  }

  private let waiting = Mutex(Waiting())
  private let filled = DispatchSemaphore(value: 0)
  private let free = DispatchSemaphore(value: RoundQueue.capacity)

  /// False when nobody wants more.
  func put(_ round: [RecordEntry]) -> Bool {
    free.wait()
    let wanted = waiting.withLock {
      $0.rounds.append(round)
      return !$0.isAbandoned
    }
    filled.signal()
    return wanted
  }

  func end() {
    waiting.withLock { $0.isOver = true }
    filled.signal()
  }

  func take() -> [RecordEntry]? {
    filled.wait()
    let round = waiting.withLock { $0.rounds.isEmpty ? nil : $0.rounds.removeFirst() }
    free.signal()
    return round
  }

  /// Lets the reader run to its end without waiting.
  func abandon() {
    waiting.withLock { $0.isAbandoned = true }
    free.signal()
  }
}

extension PerfDataFile {
  /// Below this many bytes of data a second thread costs more than it helps.
  private static let worthAThread = 4 << 20

  /// As `forEachRound`, reading and ordering on another core while `body` works.
  public func forEachRoundAhead<E: Error>(_ body: ([RecordEntry]) throws(E) -> Void) throws(E) {
    guard data.count >= Self.worthAThread else { return try forEachRound(body) }
    let queue = RoundQueue()
    let reading = DispatchQueue(label: "lull.reader", qos: .userInitiated)
    reading.async {
      let known = self.knownSummary
      var stream = RecordStream(scanner: self.scanner(), range: self.data, late: known?.late)
      while let round = stream.nextRound() {
        guard queue.put(round) else { return }
      }
      if known == nil { self.remember(stream.summary) }
      queue.end()
    }
    do throws(E) {
      while let round = queue.take() { try body(round) }
    } catch {
      queue.abandon()
      throw error
    }
  }
}
