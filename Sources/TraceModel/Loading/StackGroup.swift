/// Samples of one thread that have the same stack: told together they take a third of the room.
struct StackGroup {
  /// The thread of the samples.
  let tid: Int32
  /// The number of their stack.
  let stack: Int
  /// The time of the first.
  let time: UInt64
  /// Nanoseconds from each of the others to the one before it.
  private(set) var later: [Int] = []
  private var last: UInt64

  /// A stack event of so many samples fits in one record, with its frames.
  static let most = 2_000

  private struct Key: Hashable {
    var tid: Int32
    var stack: Int
  }

  private struct Sample: Hashable {
    var time: UInt64
    var tid: Int32
  }

  private init(_ sample: StackedSample) {
    tid = sample.tid
    stack = sample.stack
    time = sample.time
    last = sample.time
  }

  /// The groups of all samples, in the order of their first ones; of a sample with two stacks the last counts.
  static func groups(_ samples: [StackedSample]) -> [StackGroup] {
    var stacks: [Sample: Int] = [:]
    for sample in samples { stacks[Sample(time: sample.time, tid: sample.tid)] = sample.stack }
    var groups: [StackGroup] = []
    var places: [Key: Int] = [:]
    for sample in samples.sorted(by: { ($0.time, $0.tid) < ($1.time, $1.tid) }) {
      // Each sample once.
      guard
        let stack = stacks.removeValue(forKey: Sample(time: sample.time, tid: sample.tid))
      else { continue }
      let key = Key(tid: sample.tid, stack: stack)
      if let place = places[key], groups[place].later.count + 1 < most {
        groups[place].later.append(Int(clamping: sample.time - groups[place].last))
        groups[place].last = sample.time
      } else {
        places[key] = groups.count
        groups.append(StackGroup(StackedSample(time: sample.time, tid: sample.tid, stack: stack)))
      }
    }
    return groups
  }
}
