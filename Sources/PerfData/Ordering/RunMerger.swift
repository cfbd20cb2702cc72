import Quantities

/// Records that wait for their place: runs of ascending time, as the kernel's rings give them, merged a batch at a
/// time.
///
/// A batch is small enough to be merged where caches hold it.
final class RunMerger {
  private typealias Records = UnsafeBufferPointer<OrderedRecord>

  /// With more runs at once the slices would become too small: all are merged beforehand.
  private static let mostRuns = 32

  /// All runs, one after another.
  private let memory = GrowingMemory(byteCount: 0)
  private var base: UnsafeMutablePointer<OrderedRecord>
  private var capacity = 0
  private var count = 0
  /// Where each run begins.
  private var starts: [Int] = []
  private var last: UInt64 = 0
  /// The first run is of records that are known to come too late: they go behind others of the same time.
  private var firstIsLate = false
  /// Of each run what is still to be handed out, and what stays.
  private var open: [Records] = []
  private var isOpen = false
  private var rest: [Range<Int>] = []
  private var slices: [Records] = []
  private let scratch = [Scratch(), Scratch()]
  private let merged = Scratch()

  init() { base = memory.base.assumingMemoryBound(to: OrderedRecord.self) }

  /// Room for so many records behind the others.
  @inline(__always)
  func room(for more: Int) -> UnsafeMutablePointer<OrderedRecord> {
    if capacity - count < more { grow(by: more) }
    return base + count
  }

  @inline(never)
  private func grow(by more: Int) {
    capacity = max(2 * capacity, count + more)
    memory.grow(to: capacity * MemoryLayout<OrderedRecord>.stride)
    base = memory.base.bindMemory(to: OrderedRecord.self, capacity: capacity)
  }

  /// Takes in so many records of ascending time, which were written to the room that was given.
  func add(_ more: Int) {
    guard more > 0 else { return }
    if starts.isEmpty || base[count].time < last { starts.append(count) }
    count += more
    last = base[count - 1].time
  }

  /// Takes in, before any other, records that are known to come too late, in order.
  func add(late records: [OrderedRecord]) {
    guard !records.isEmpty else { return }
    let room = room(for: records.count)
    for (place, record) in records.enumerated() { room[place] = record }
    add(records.count)
    firstIsLate = true
    last = .max
  }

  /// Everything up to a time is to be handed out; what was to be before has been.
  func open(upTo time: UInt64) {
    isOpen = true
    var late: Records?
    let isLate = firstIsLate
    firstIsLate = false
    for (run, start) in starts.enumerated() {
      let end = run + 1 < starts.count ? starts[run + 1] : count
      let all = Records(start: base + start, count: end - start)
      let cut = Self.count(of: all, upTo: time)
      let slice = Records(rebasing: all[..<cut])
      if isLate, run == 0 {
        late = slice
        firstIsLate = cut < all.count
      } else if cut > 0 {
        open.append(slice)
      }
      if cut < all.count { rest.append(start + cut..<end) }
    }
    if let late, !late.isEmpty { open.append(late) }
    if open.count > Self.mostRuns { mergeAll() }
  }

  /// Writes what comes next, no more than fits, and tells how much that is; 0 when all that was to be is handed out.
  func next(into target: UnsafeMutablePointer<OrderedRecord>, capacity: Int) -> Int {
    guard !open.isEmpty else {
      if isOpen { keepRest() }
      return 0
    }
    let quota = capacity / open.count
    // Of the run whose next so many records end first they are taken, of the others what belongs before their end.
    var leader: (run: Int, time: UInt64)?
    for (run, records) in open.enumerated() where records.count >= quota {
      let time = records[quota - 1].time
      if leader.map({ time < $0.time }) ?? true { leader = (run, time) }
    }
    var total = 0
    slices.removeAll(keepingCapacity: true)
    for run in open.indices {
      let records = open[run]
      var taken = records.count
      if let leader {
        let most = Records(rebasing: records.prefix(quota))
        if run == leader.run {
          taken = quota
        } else if run < leader.run || leader.time > 0 {
          taken = Self.count(of: most, upTo: run < leader.run ? leader.time : leader.time - 1)
        } else {
          taken = 0
        }
      }
      if taken > 0 { slices.append(Records(rebasing: records[..<taken])) }
      open[run] = Records(rebasing: records[taken...])
      total += taken
    }
    open.removeAll(where: \.isEmpty)
    merge(slices, total, into: target)
    return total
  }

  /// Moves what stays to the front.
  private func keepRest() {
    isOpen = false
    starts.removeAll(keepingCapacity: true)
    var kept = 0
    for range in rest {
      starts.append(kept)
      (base + kept).update(from: base + range.lowerBound, count: range.count)
      kept += range.count
    }
    rest.removeAll(keepingCapacity: true)
    count = kept
    last = kept == 0 ? 0 : firstIsLate && starts.count == 1 ? .max : base[kept - 1].time
  }

  /// How many records of a run are no later than that.
  private static func count(of records: Records, upTo time: UInt64) -> Int {
    if let last = records.last, last.time <= time { return records.count }
    return records.partitioningIndex { $0.time > time }
  }

  private func mergeAll() {
    let total = open.reduce(0) { $0 + $1.count }
    let target = merged.room(for: total)
    merge(open, total, into: target)
    open = [Records(start: target, count: total)]
  }

  /// Merges runs, so many records together, neighbours first, so that of equal times what stands first in the file goes
  /// first.
  private func merge(
    _ runs: [Records], _ total: Int, into target: UnsafeMutablePointer<OrderedRecord>
  ) {
    guard runs.count > 2 else {
      Self.merge(runs[0], runs.count > 1 ? runs[1] : nil, into: target)
      return
    }
    var runs = runs
    var level = 0
    while runs.count > 2 {
      var place = scratch[level % 2].room(for: total)
      runs = stride(from: 0, to: runs.count, by: 2).map { run in
        let other = run + 1 < runs.count ? runs[run + 1] : nil
        Self.merge(runs[run], other, into: place)
        let joined = Records(start: place, count: runs[run].count + (other?.count ?? 0))
        place += joined.count
        return joined
      }
      level += 1
    }
    Self.merge(runs[0], runs[1], into: target)
  }

  private static func merge(
    _ one: Records, _ other: Records?, into target: UnsafeMutablePointer<OrderedRecord>
  ) {
    guard var left = one.baseAddress else { return }
    let leftEnd = left + one.count
    var output = target
    if let other, var right = other.baseAddress {
      let rightEnd = right + other.count
      while left < leftEnd, right < rightEnd {
        // Without a branch on the outcome: which CPU comes next cannot be foretold.
        let takesRight = right.pointee.time < left.pointee.time
        output.pointee = (takesRight ? right : left).pointee
        right += takesRight ? 1 : 0
        left += takesRight ? 0 : 1
        output += 1
      }
      output.update(from: right, count: rightEnd - right)
      output += rightEnd - right
    }
    output.update(from: left, count: leftEnd - left)
  }
}

/// Memory that is written anew each time.
private final class Scratch {
  private var base: UnsafeMutablePointer<OrderedRecord>?
  private var capacity = 0

  func room(for count: Int) -> UnsafeMutablePointer<OrderedRecord> {
    if let base, capacity >= count { return base }
    base?.deallocate()
    let larger = UnsafeMutablePointer<OrderedRecord>.allocate(capacity: count)
    base = larger
    capacity = count
    return larger
  }

  deinit { base?.deallocate() }
}
