import TraceModel

/// Adds up samples of the same stack, thread, cause and file, in the order in which these first came.
struct BlameSums {
  private struct Key: Hashable {
    var stack: Int?
    var tid: Int32
    var cause: WaitCause?
    var path: String
  }

  private var keys: [Key] = []
  private var sums: [BlameSample] = []
  private var places: [Key: Int] = [:]
  /// By the lowest bits of thread and stack, the place of the last key with these.
  private var recent = [Int](repeating: -1, count: 256)

  mutating func add(_ sample: BlameSample, path: String = "") {
    let key = Key(stack: sample.stack, tid: sample.tid, cause: sample.cause, path: path)
    let slot = (Int(sample.tid) &+ (sample.stack ?? 0) &* 31) & 255
    var place = recent[slot]
    if place < 0 || keys[place] != key {
      place = places[key] ?? insert(key, sample)
      recent[slot] = place
    }
    sums[place].events += sample.events
    sums[place].untaken += sample.untaken
    sums[place].seconds += sample.seconds
    sums[place].count += sample.count
    sums[place].untimed += sample.untimed
    sums[place].bytes += sample.bytes
    sums[place].joules += sample.joules
  }

  private mutating func insert(_ key: Key, _ sample: BlameSample) -> Int {
    places[key] = keys.count
    keys.append(key)
    sums.append(
      BlameSample(stack: sample.stack, tid: sample.tid, cause: sample.cause, events: 0, count: 0))
    return keys.count - 1
  }

  /// The sums; those without a stack of their own are given those of the same thread and file, in their proportion.
  ///
  /// Stacks are taken now and then; where a thread did the same thing to the same file at several places, each gets its
  /// share of what was not sampled. What has no stack at all for its thread and file keeps none.
  func spread() -> [BlameSample] {
    struct Place: Hashable {
      var tid: Int32
      var path: String
    }
    var known: [Place: [(stack: Int, weight: Double)]] = [:]
    for (key, sum) in zip(keys, sums) {
      if let stack = key.stack {
        known[Place(tid: key.tid, path: key.path), default: []].append((stack, Double(sum.events)))
      }
    }
    return zip(keys, sums).flatMap { key, sum -> [BlameSample] in
      guard key.stack == nil, let stacks = known[Place(tid: key.tid, path: key.path)] else {
        return [sum]
      }
      let total = stacks.reduce(0) { $0 + $1.weight }
      return stacks.sorted { $0.stack < $1.stack }.map { stack, weight in
        var part = sum
        part.stack = stack
        part.count *= weight / total
        part.untimed *= weight / total
        part.seconds *= weight / total
        part.bytes *= weight / total
        part.joules *= weight / total
        return part
      }
    }
  }

  /// The sums as they are.
  var samples: [BlameSample] { sums }
}
