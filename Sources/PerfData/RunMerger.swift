/// Keys that wait for their place: runs of ascending time, as the kernel's rings give them, of which a part is merged at a time.
struct RunMerger {
  /// All runs, one after another.
  private var keys = ContiguousArray<RecordKey>()
  /// Where each run begins in `keys`.
  private var starts: [Int] = []
  private var last: UInt64 = 0
  private var merged = ContiguousArray<RecordKey>()
  private var scratch = ContiguousArray<RecordKey>()

  /// Adds the key that stands next in the file.
  @inline(__always)
  mutating func append(_ key: RecordKey) {
    if key.time < last || starts.isEmpty { starts.append(keys.count) }
    last = key.time
    keys.append(key)
  }

  /// Adds the keys that stand next in the file.
  mutating func append(_ more: UnsafeBufferPointer<RecordKey>) {
    for (place, key) in more.enumerated() {
      if key.time < last || starts.isEmpty { starts.append(keys.count + place) }
      last = key.time
    }
    keys.append(contentsOf: more)
  }

  /// What follows begins a run of its own.
  mutating func endRun() { last = .max }

  /// Takes out the keys up to a time, in order.
  mutating func take(upTo time: UInt64) -> ContiguousArray<RecordKey> {
    merged.removeAll(keepingCapacity: true)
    var parts: [Int] = []
    var rest: [Int] = []
    var kept = 0
    for (run, start) in starts.enumerated() {
      let end = run + 1 < starts.count ? starts[run + 1] : keys.count
      let cut = time == .max ? end : firstAfter(time, start, end)
      if cut > start {
        parts.append(merged.count)
        merged.append(contentsOf: keys[start..<cut])
      }
      if cut < end {
        rest.append(kept)
        for place in cut..<end { keys[kept + place - cut] = keys[place] }
        kept += end - cut
      }
    }
    keys.removeLast(keys.count - kept)
    starts = rest
    if keys.isEmpty { last = 0 }
    mergeAll(&parts)
    return merged
  }

  /// The first place in a run whose time is later.
  private func firstAfter(_ time: UInt64, _ start: Int, _ end: Int) -> Int {
    var low = start
    var high = end
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Merges neighbours until one run is left.
  private mutating func mergeAll(_ parts: inout [Int]) {
    guard parts.count > 1 else { return }
    if scratch.count < merged.count {
      scratch = ContiguousArray(repeating: RecordKey(time: 0, offset: 0), count: merged.count)
    }
    while parts.count > 1 {
      var joined: [Int] = []
      var run = 0
      while run < parts.count {
        joined.append(parts[run])
        if run + 1 < parts.count {
          merge(parts[run], parts[run + 1], run + 2 < parts.count ? parts[run + 2] : merged.count)
        }
        run += 2
      }
      parts = joined
    }
  }

  private mutating func merge(_ start: Int, _ middle: Int, _ end: Int) {
    merged.withUnsafeMutableBufferPointer { keys in
      scratch.withUnsafeMutableBufferPointer { scratch in
        guard let keys = keys.baseAddress, let scratch = scratch.baseAddress else { return }
        // Only the left run is copied aside: the merge never overtakes the right one.
        scratch.update(from: keys + start, count: middle - start)
        var left = scratch
        let leftEnd = scratch + (middle - start)
        var right = keys + middle
        let rightEnd = keys + end
        var output = keys + start
        while left < leftEnd, right < rightEnd {
          // Without a branch on the outcome: which CPU comes next cannot be foretold.
          let takesRight = right.pointee < left.pointee
          output.pointee = takesRight ? right.pointee : left.pointee
          right += takesRight ? 1 : 0
          left += takesRight ? 0 : 1
          output += 1
        }
        output.update(from: left, count: leftEnd - left)
      }
    }
  }
}
