import PerfData
import Quantities

/// Numbers the kinds of a thread's intervals as they come, and counts each.
struct IntervalKindCounter {
  private typealias Tally = IntervalKinds.Tally

  /// A kind that was met, with its number.
  private struct Recent {
    /// No key has all bits.
    var bits = UInt64.max
    var number = 0
  }

  private var keys = IntervalKinds.first
  private var numbers: [IntervalKey: Int32] = [:]
  private var recent = InlineArray<32, Recent>(repeating: Recent())
  private let memory: GrowingMemory
  private var tallies: UnsafeMutablePointer<IntervalKinds.Tally>
  private var capacity = 8
  /// How many causes, by their ranks, an unknown wait may turn out to have had.
  private let tellable: Int

  init(tellable: Int) {
    self.tellable = tellable
    memory = GrowingMemory(byteCount: capacity * MemoryLayout<Tally>.stride)
    tallies = memory.base.bindMemory(to: Tally.self, capacity: capacity)
    tallies.initialize(repeating: Tally(), count: capacity)
  }

  /// What was counted.
  var kinds: IntervalKinds {
    IntervalKinds(keys, UnsafeBufferPointer(start: tallies, count: keys.count))
  }

  /// Time on a CPU in intervals without a stack.
  var running: TimeSpan { tallies[IntervalKinds.running].time }

  /// Counts an interval.
  @inline(__always)
  func count(_ number: Int, _ length: TimeSpan) { tallies[number].add(length) }

  /// An unknown wait of that kind had a cause, by which it is of a kind so many further on; 0 where it cannot be told.
  func tell(_ number: Int, _ cause: WaitCause, _ length: TimeSpan) -> Int {
    guard cause.rank < tellable else { return 0 }
    let further = 1 + cause.rank
    tallies[number].remove(length)
    tallies[number + further].add(length)
    return further
  }

  /// The number of a kind that is none of the first two.
  @inline(__always)
  mutating func number(_ key: IntervalKey) -> Int {
    // Fibonacci hashing, as in `Numbering`.
    let place = Int(truncatingIfNeeded: (key.bits &* 0x9E37_79B9_7F4A_7C15) >> 59)
    if recent[place].bits == key.bits { return recent[place].number }
    return find(key, place)
  }

  @inline(never)
  private mutating func find(_ key: IntervalKey, _ place: Int) -> Int {
    let number = numbers[key].map { Int($0) } ?? insert(key)
    recent[place] = Recent(bits: key.bits, number: number)
    return number
  }

  private mutating func insert(_ key: IntervalKey) -> Int {
    // After an unknown wait stand those that it may turn out to be, kept in as many bytes.
    if key.isUnknown, keys.count < IntervalKinds.narrow {
      while keys.count + tellable >= IntervalKinds.narrow, keys.count < IntervalKinds.narrow {
        add(IntervalKey(.running))
      }
    }
    let number = keys.count
    add(key)
    numbers[key] = Int32(truncatingIfNeeded: number)
    if key.isUnknown {
      for rank in 0..<tellable {
        add(IntervalKey(.blocked(WaitCause(rank: rank))).ended(by: key.waker))
      }
    }
    return number
  }

  private mutating func add(_ key: IntervalKey) {
    keys.append(key)
    guard keys.count > capacity else { return }
    memory.grow(to: 2 * capacity * MemoryLayout<Tally>.stride)
    tallies = memory.base.bindMemory(to: Tally.self, capacity: 2 * capacity)
    (tallies + capacity).initialize(repeating: Tally(), count: capacity)
    capacity *= 2
  }
}
