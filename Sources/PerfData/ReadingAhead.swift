import CPrefetch
import Dispatch

extension PerfDataFile {
  /// Below this many bytes of data a second thread costs more than it helps.
  private static let worthAThread = 1 << 20

  /// Hands out, in order of time, what is asked for of each attribute's samples, and the places of all other records but those that
  /// only end a round; reading and ordering goes on on another core while `body` works.
  ///
  /// `body` is told the earliest time of all records read so far too, of which there is none earlier from its first timed record on.
  /// `beside` is called now and then by the core that reads, which mostly has time for other work. What is returned are the times of
  /// all records.
  public func forEachPartAhead<E: Error>(
    _ demands: [SampleDemand], beside: @escaping @Sendable () -> Void = {},
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
        beside()
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
