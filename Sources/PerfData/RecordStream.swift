/// Puts records in order while they are read, holding no more than two rounds.
///
/// perf empties its rings one after another and then writes FINISHED_ROUND: what follows is newer than all that came before the
/// round before. Each ring's part is in order, so ordering is merging.
struct RecordStream {
  private struct Key {
    var time: UInt64
    var index: Int32
  }

  private var scanner: RecordScanner
  private let range: Range<Int>
  /// First the rest of the last round, in order, then what was read since.
  private var pending = ContiguousArray<RecordEntry>()
  private var keys = ContiguousArray<Key>()
  private var scratch = ContiguousArray<Key>()
  /// Where each run of ascending times begins in `keys`.
  private var runs: [Int] = []
  /// Everything up to here has been handed out.
  private var handedOut: UInt64 = 0
  /// Everything up to here will have been read by the end of this round.
  private var limit: UInt64 = 0
  private var newest: UInt64 = 0
  private var last: UInt64 = 0
  private var lastKey: UInt64 = 0
  /// Records known to come too late, in file order: they were given their place before.
  private var expectedLate: [Int]
  private var nextLate = 0
  private let knowsLate: Bool
  private var late: [TimedEntry] = []

  /// More records than this without a FINISHED_ROUND are ordered in parts.
  private static let largestIndex = Int(Int32.max)

  init(scanner: RecordScanner, range: Range<Int>, late known: [TimedEntry]?) {
    self.scanner = scanner
    self.range = range
    knowsLate = known != nil
    let known = known ?? []
    expectedLate = known.map(\.entry.offset).sorted()
    if !known.isEmpty { runs = [0] }
    for (index, item) in known.enumerated() {
      pending.append(item.entry)
      keys.append(Key(time: item.time, index: Int32(truncatingIfNeeded: index)))
      lastKey = item.time
    }
    if !known.isEmpty { lastKey = .max }
  }

  var position: Int { scanner.position }

  /// What was found, once `nextRound` has given all.
  var summary: ScanSummary {
    ScanSummary(
      unknownRecords: scanner.unknownRecords, recordCounts: scanner.counts,
      tornBytes: range.upperBound - scanner.position,
      dataBytes: scanner.position - range.lowerBound, holes: scanner.holes,
      earlyMetadata: scanner.earlyMetadata,
      late: late.sorted { ($0.time, $0.entry.offset) < ($1.time, $1.entry.offset) })
  }

  /// The records of the next round, in order; nil at the end.
  mutating func nextRound() -> [RecordEntry]? {
    while let entry = scanner.next() {
      if entry.time != 0 { last = entry.time }
      if nextLate < expectedLate.count, expectedLate[nextLate] == entry.offset {
        nextLate += 1
        continue
      }
      if last < handedOut, !knowsLate { late.append(TimedEntry(time: last, entry: entry)) }
      if last < lastKey || runs.isEmpty { runs.append(keys.count) }
      lastKey = last
      if last > newest { newest = last }
      keys.append(Key(time: last, index: Int32(truncatingIfNeeded: pending.count)))
      pending.append(entry)
      if entry.type == RecordType.finishedRound {
        handedOut = limit
        limit = newest
        if let round = take(upTo: handedOut) { return round }
      } else if pending.count == Self.largestIndex {
        return take(upTo: .max)
      }
    }
    return take(upTo: .max)
  }

  /// Reads to the end as the records stand in the file, ordering nothing.
  mutating func readAll<E: Error>(_ visit: (RecordEntry) throws(E) -> Void) throws(E) {
    while let entry = scanner.next() {
      try visit(entry)
      if entry.time != 0 { last = entry.time }
      if last < handedOut { late.append(TimedEntry(time: last, entry: entry)) }
      if last > newest { newest = last }
      if entry.type == RecordType.finishedRound {
        handedOut = limit
        limit = newest
      }
    }
  }

  /// The pending records up to a time; nil when there is none.
  private mutating func take(upTo time: UInt64) -> [RecordEntry]? {
    sort()
    var count = keys.count
    if time != .max {
      var low = 0
      while low < count {
        let middle = (low + count) / 2
        if keys[middle].time <= time { low = middle + 1 } else { count = middle }
      }
    }
    guard count > 0 else { return nil }
    let round = [RecordEntry](unsafeUninitializedCapacity: count) { buffer, initialized in
      for place in 0..<count {
        buffer.initializeElement(at: place, to: pending[Int(keys[place].index)])
      }
      initialized = count
    }
    var rest = ContiguousArray<RecordEntry>()
    rest.reserveCapacity(max(keys.count - count, pending.count))
    for (place, key) in keys[count...].enumerated() {
      rest.append(pending[Int(key.index)])
      scratch[place] = Key(time: key.time, index: Int32(truncatingIfNeeded: place))
    }
    keys.removeLast(count)
    for place in keys.indices { keys[place] = scratch[place] }
    pending = rest
    runs = keys.isEmpty ? [] : [0]
    lastKey = keys.last?.time ?? 0
    return round
  }

  /// Merges neighbouring runs until one is left; of equal times the first in the file goes first.
  private mutating func sort() {
    if scratch.count < keys.count {
      scratch = ContiguousArray(
        repeating: Key(time: 0, index: 0), count: max(keys.count, scratch.count * 2))
    }
    while runs.count > 1 {
      var merged: [Int] = []
      var run = 0
      while run < runs.count {
        merged.append(runs[run])
        if run + 1 < runs.count {
          let end = run + 2 < runs.count ? runs[run + 2] : keys.count
          merge(runs[run], runs[run + 1], end)
        }
        run += 2
      }
      runs = merged
    }
  }

  private mutating func merge(_ start: Int, _ middle: Int, _ end: Int) {
    let pending = pending
    keys.withUnsafeMutableBufferPointer { keys in
      scratch.withUnsafeMutableBufferPointer { scratch in
        // Only the left run is copied aside: the merge never overtakes the right one.
        for place in start..<middle { scratch[place] = keys[place] }
        var left = start
        var right = middle
        var output = start
        while left < middle, right < end {
          let a = scratch[left]
          let b = keys[right]
          let leftFirst =
            a.time != b.time
            ? a.time < b.time
            : pending[Int(a.index)].offset < pending[Int(b.index)].offset
          if leftFirst {
            keys[output] = a
            left += 1
          } else {
            keys[output] = b
            right += 1
          }
          output += 1
        }
        while left < middle {
          keys[output] = scratch[left]
          left += 1
          output += 1
        }
      }
    }
  }
}
