import TraceModel

/// Adds up samples of the same stack, thread, cause, file and call, in the order in which these first came.
struct BlameSums {
  /// What was done to what.
  struct Work: Hashable {
    var path = ""
    var kind: FileOperation.Kind?
    var call: Int32?

    /// Nothing that tells one sample from another.
    init() {}

    init(path: String) { self.path = path }

    /// By whatever call.
    var ofAnyCall: Work {
      var work = self
      work.call = nil
      return work
    }

    init(_ operation: FileOperation) {
      (path, kind, call) = (operation.path ?? "", operation.kind, operation.call)
    }
  }

  private struct Key: Hashable {
    var stack: Int?
    var tid: Int32
    var cause: WaitCause?
    var work: Work
  }

  private var keys: [Key] = []
  private var sums: [BlameSample] = []
  private var places: [Key: Int] = [:]
  /// By the lowest bits of thread and stack, the place of the last key with these.
  private var recent = [Int](repeating: -1, count: 256)

  mutating func add(_ sample: BlameSample, of work: Work = Work()) {
    let key = Key(stack: sample.stack, tid: sample.tid, cause: sample.cause, work: work)
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
    sums[place].syncs += sample.syncs
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

  /// The sums; those without a stack of their own are given those of the same thread, file and call, in their
  /// proportion.
  ///
  /// Stacks are taken now and then; where a thread made the same call on the same file at several places, each gets its
  /// share of what was not sampled, in whole calls. A call of which none has a stack is where others of its kind were.
  /// What has no stack at all for its thread, file and kind keeps none.
  func spread() -> [BlameSample] {
    struct Place: Hashable {
      var tid: Int32
      var work: Work
    }
    var places: [Place: [(stack: Int, weight: Double)]] = [:]
    for (key, sum) in zip(keys, sums) {
      if let stack = key.stack {
        let known = (stack, Double(sum.events))
        places[Place(tid: key.tid, work: key.work), default: []].append(known)
        if key.work.call != nil {
          places[Place(tid: key.tid, work: key.work.ofAnyCall), default: []].append(known)
        }
      }
    }
    return zip(keys, sums).flatMap { key, sum -> [BlameSample] in
      guard key.stack == nil,
        let stacks = places[Place(tid: key.tid, work: key.work)]
          ?? places[Place(tid: key.tid, work: key.work.ofAnyCall)]
      else { return [sum] }
      let sites = stacks.sorted { $0.stack < $1.stack }
      let weights = sites.map(\.weight)
      let events = WholeShares.of(Double(sum.events), by: weights)
      // What calls carried goes where they went; of sends it may not be known how many they were.
      let calls = sum.count + sum.syncs
      let parts = calls > 0 ? WholeShares.of(calls, by: weights) : weights
      let total = parts.reduce(0, +)
      let counts = WholeShares.of(sum.count, by: parts)
      let untimed = WholeShares.of(sum.untimed, by: parts)
      let syncs = WholeShares.of(sum.syncs, by: parts)
      let bytes = WholeShares.of(sum.bytes, by: parts)
      return sites.indices.filter { parts[$0] > 0 }.map { index in
        var part = sum
        part.stack = sites[index].stack
        part.events = Int(events[index])
        part.count = counts[index]
        part.untimed = untimed[index]
        part.syncs = syncs[index]
        part.bytes = bytes[index]
        part.seconds *= parts[index] / total
        part.joules *= parts[index] / total
        return part
      }
    }
  }

  /// The sums as they are.
  var samples: [BlameSample] { sums }
}
