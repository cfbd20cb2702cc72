import CProcessor
import Processors

extension PerfDataFile {
  /// Below this many bytes of data a second thread costs more than it helps.
  private static let worthAThread = 1 << 20

  /// Hands out, in order of time, what is asked for of each attribute's samples, and the places of all other records
  /// but those that only end a round; reading and ordering goes on on another core while `body` works.
  ///
  /// `body` tells what places in the file it looked at. `beside` does some other work, if there is one, and tells
  /// whether there was: the core that would wait for the other calls it. What is returned are the times of all records.
  public func forEachBatchAhead<E: Error>(
    _ demands: [SampleDemand], beside: @escaping @Sendable () -> Bool = { false },
    _ body: (OrderedBatch) throws(E) -> OffsetSpan
  ) throws(E) -> RecordTimes {
    guard data.count >= Self.worthAThread else {
      return try forEachBatch(demands, body)
    }
    let queue = BatchQueue()
    let known = knownSummary
    let readAhead = ReadAhead(RecordData(storage, data), PlanTable(demands, scanner().decoder))
    // Where records are known to be late, each is looked at by itself.
    let believed = believed
    let readsAhead = believed == nil && known?.late.isEmpty ?? true
    // Who would wait reads ahead, after what else there is to do.
    let beside = { @Sendable in beside() || readsAhead && readAhead.readNext() }
    let reads = NeighbourThread.begin {
      var stream = RecordStream(
        scanner: self.scanner(), range: self.data, storage: self.storage, late: known?.late,
        believed: believed, readAhead: readAhead)
      var batch = queue.empty()
      while stream.nextBatch(batch) {
        guard queue.put(batch) else { return }
        while queue.isFull, beside() {}
        batch = queue.empty()
      }
      if known == nil { self.remember(stream.summary) }
      queue.end(stream.times)
    }
    guard reads else { return try forEachBatch(demands, body) }
    var passed = PassedPages(storage)
    var read: RecordBatch?
    do throws(E) {
      while let batch = queue.take(read, beside: beside) {
        passed.note(try body(batch.ordered))
        read = batch
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
    guard let base = storage.bytes.pointer.baseAddress else { return }
    lull_prefetch(base + offset)
  }

  /// As `forEachBatchAhead`, on one core; `isSmall` where memory counts for more than time.
  public func forEachBatch<E: Error>(
    _ demands: [SampleDemand], isSmall: Bool = false,
    _ body: (OrderedBatch) throws(E) -> OffsetSpan
  ) throws(E) -> RecordTimes {
    let holding: PassedPages.Holding = isSmall ? .little : .usual
    let known = knownSummary
    var stream = RecordStream(
      scanner: scanner(), range: data, storage: storage, late: known?.late,
      believed: believed, demands: demands, holding: holding)
    let batch = RecordBatch()
    var passed = PassedPages(storage, holding)
    while stream.nextBatch(batch) {
      passed.note(try body(batch.ordered))
    }
    if known == nil { remember(stream.summary) }
    return stream.times
  }
}
