import PerfData

/// The samples that have stacks, in the order in which these were asked for: some six bytes each, since a recording of
/// an hour has hundreds of thousands.
///
/// An entry of the log begins with a byte of two widths (`ByteLog.Width`): that of the time since the entry before, and
/// of the number of what the sample has in common with others.
struct SeenStacks: Sequence {
  /// What samples have in common.
  struct Kind: Hashable {
    let tid: Int32
    /// The number of their stack.
    let stack: Int
    /// By what they are known besides; nil where there is nothing.
    let key: Int?
  }

  private var numbers = Numbering<Kind>()
  private var log = ByteLog()
  private var last: UInt64 = 0
  private(set) var count = 0
  /// How many samples there are of each kind.
  private(set) var counts: [Int] = []

  init() {}

  init(_ samples: some Sequence<StackedSample>) {
    for sample in samples { append(sample) }
  }

  var isEmpty: Bool { count == 0 }

  /// The kinds by their numbers.
  var kinds: ContiguousArray<Kind> { numbers.values }

  mutating func append(_ sample: StackedSample) {
    let number = numbers.number(
      of: Kind(tid: sample.tid, stack: sample.stack, key: sample.key),
      hint: Int(sample.tid) &+ 61 &* sample.stack &+ (sample.key ?? 0))
    if number == counts.count { counts.append(0) }
    counts[number] += 1
    count += 1
    let later = Int64(bitPattern: sample.time &- last).zigzag
    last = sample.time
    let (time, kind) = (ByteLog.Width(of: later), ByteLog.Width(of: UInt64(number)))
    log.append { place in
      place.put(time.code | kind.code << 2, at: 0)
      place.put(later, at: 1)
      place.put(UInt64(number), at: 1 + time.bytes)
      return 1 + time.bytes + kind.bytes
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }

  struct Iterator: IteratorProtocol {
    private var cursor: ByteLog.Cursor
    private let kinds: ContiguousArray<Kind>
    private var left: Int
    private var time: UInt64 = 0

    fileprivate init(_ stacks: SeenStacks) {
      cursor = stacks.log.cursor(at: 0)
      kinds = stacks.kinds
      left = stacks.count
    }

    /// The number of the next sample's kind, and its time.
    mutating func nextNumber() -> (kind: Int, time: UInt64)? {
      guard left > 0 else { return nil }
      left -= 1
      let widths = cursor.next(UInt8.self)
      time &+= UInt64(
        bitPattern: Int64(zigzag: cursor.number(ByteLog.Width(code: widths))))
      return (Int(cursor.number(ByteLog.Width(code: widths >> 2))), time)
    }

    mutating func next() -> StackedSample? {
      nextNumber().map { number, time in
        let kind = kinds[number]
        return StackedSample(time: time, tid: kind.tid, stack: kind.stack, key: kind.key)
      }
    }
  }
}
