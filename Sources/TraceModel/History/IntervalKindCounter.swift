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

  init() {
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

  /// An unknown wait of that kind was an event wait: it is of the kind that follows.
  func tellIdle(_ number: Int, _ length: TimeSpan) {
    tallies[number].remove(length)
    tallies[number + 1].add(length)
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
    // After an unknown wait stands the event wait that it may turn out to be, kept in as many bytes.
    if key.isUnknown, keys.count == IntervalKinds.narrow - 1 { add(IntervalKey(.running)) }
    let number = keys.count
    add(key)
    numbers[key] = Int32(truncatingIfNeeded: number)
    if key.isUnknown { add(IntervalKey(.blocked(.eventWait)).ended(by: key.waker)) }
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
