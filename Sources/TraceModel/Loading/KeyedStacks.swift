/// The samples that have stacks, divided by how a trace tells of them.
struct KeyedStacks {
  /// The keys of each stack: what holds one of these has it, where it is not among the others.
  private(set) var keys: [Int: [Int]] = [:]
  /// The samples of which it is told by their times.
  private(set) var others: [StackedSample] = []

  /// The hash of fewer samples takes more room than their times.
  private static let fewest = 4
  /// A stack event of so many keys fits in one record, with its frames.
  static let most = 2_000

  /// Of the samples that hold one thing most have one stack, which goes by it; `without` are keys of samples that have
  /// none.
  init(_ samples: SeenStacks, without: Set<Int>) {
    var counts: [Int: [Int: Int]] = [:]
    for (kind, count) in zip(samples.kinds, samples.counts) {
      if let key = kind.key { counts[key, default: [:]][kind.stack, default: 0] += count }
    }
    var stacks: [Int: Int] = [:]
    for (key, count) in counts where !without.contains(key) {
      // Of two as frequent ones the first, so that a trace is the same each time.
      guard
        let most = count.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
        most.value >= Self.fewest
      else { continue }
      stacks[key] = most.key
    }
    let isOther = samples.kinds.map { kind in kind.key.flatMap { stacks[$0] } != kind.stack }
    others.reserveCapacity(zip(isOther, samples.counts).reduce(0) { $0 + ($1.0 ? $1.1 : 0) })
    var left = samples.makeIterator()
    while let (number, time) = left.nextNumber() {
      guard isOther[number] else { continue }
      let kind = samples.kinds[number]
      others.append(StackedSample(time: time, tid: kind.tid, stack: kind.stack, key: kind.key))
    }
    for key in stacks.keys.sorted() {
      if let stack = stacks[key] { keys[stack, default: []].append(key) }
    }
  }
}
