import CPrefetch
import Dispatch
import Synchronization

/// Records on their way from the core that reads and orders to the one that decodes.
private final class RoundQueue: Sendable {
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

extension PerfDataFile {
  /// Below this many bytes of data a second thread costs more than it helps.
  private static let worthAThread = 1 << 20

  /// Hands out, in order of time, what is asked for of each attribute's samples, and the places of all other records; reading and
  /// ordering goes on on another core while `body` works.
  ///
  /// `body` is told the earliest time of all records read so far too, of which there is none earlier from its first timed record on.
  /// What is returned are the times of all records.
  public func forEachPartAhead<E: Error>(
    _ demands: [SampleDemand],
    _ body: (UnsafeBufferPointer<OrderedRecord>, UInt64) throws(E) -> Void
  ) throws(E) -> PassTimes {
    guard data.count >= Self.worthAThread else {
      return try forEachPart(demands, body)
    }
    let queue = RoundQueue()
    let reading = DispatchQueue(label: "lull.reader", qos: .userInitiated)
    reading.async {
      let known = self.knownSummary
      var stream = RecordStream(
        scanner: self.scanner(), range: self.data, storage: self.storage, late: known?.late,
        demands: demands)
      var part = queue.empty()
      while stream.nextPart(part) {
        guard queue.put(part) else { return }
        part = queue.empty()
      }
      if known == nil { self.remember(stream.summary) }
      queue.end(stream.times)
    }
    var passed = PassedPages(storage)
    var read: RecordPart?
    do throws(E) {
      while let part = queue.take(read) {
        try body(part.records, part.earliest)
        passed.note(part.records)
        read = part
      }
    } catch {
      queue.abandon()
      throw error
    }
    return queue.times
  }

  /// Has a record brought near that is wanted soon.
  @inline(__always)
  public func fetch(_ offset: Int) {
    guard let base = storage.bytes.baseAddress else { return }
    lull_prefetch(base + offset)
    lull_prefetch(base + (offset &+ 64))
  }

  /// As `forEachPartAhead`, on one core.
  public func forEachPart<E: Error>(
    _ demands: [SampleDemand],
    _ body: (UnsafeBufferPointer<OrderedRecord>, UInt64) throws(E) -> Void
  ) throws(E) -> PassTimes {
    let known = knownSummary
    var stream = RecordStream(
      scanner: scanner(), range: data, storage: storage, late: known?.late, demands: demands)
    let part = RecordPart()
    var passed = PassedPages(storage)
    while stream.nextPart(part) {
      try body(part.records, part.earliest)
      passed.note(part.records)
    }
    if known == nil { remember(stream.summary) }
    return stream.times
  }
}

/// Gives the file's pages back to the system as they have been read, so that a pass takes little memory however long the trace.
struct PassedPages {
  private let storage: ByteStorage
  private var released = 0
  private static let step = 4 << 20

  init(_ storage: ByteStorage) { self.storage = storage }

  /// All that stands before an offset was read.
  @inline(__always)
  mutating func note(_ offset: Int) {
    guard offset - released >= Self.step else { return }
    storage.release(released..<offset)
    released = offset
  }

  /// All that stands before the records that are only named here was read.
  mutating func note(_ records: UnsafeBufferPointer<OrderedRecord>) {
    // The parts of several rings alternate: the one furthest behind counts.
    let lowest = records.reduce(Int.max) { min($0, $1.offset ?? .max) }
    if lowest < .max { note(lowest) }
  }
}
