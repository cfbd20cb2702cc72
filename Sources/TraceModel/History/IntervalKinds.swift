import PerfData
import Quantities

/// The kinds of a thread's intervals, each with how many there are and how long they are together.
struct IntervalKinds: Sendable {
  struct Kind: Sendable {
    var state: ThreadState
    var stack: Int?
    var waker: Int32?

    init(_ key: IntervalKey) { (state, stack, waker) = (key.state, key.stack, key.waker) }

    /// A wait of no known cause and without a stack.
    var isUnknown: Bool { state == .blocked(.unknown) && stack == nil }
  }

  /// How many intervals there are, and how long they are together.
  struct Tally: Sendable {
    private(set) var count = 0
    private(set) var time = TimeSpan.zero

    @inline(__always)
    mutating func add(_ length: TimeSpan) {
      count &+= 1
      time += length
    }

    mutating func remove(_ length: TimeSpan) {
      count -= 1
      time -= length
    }

    mutating func shorten(by length: TimeSpan) { time -= length }
  }

  /// Numbers below this are kept in an interval's first byte.
  static let narrow = 63
  /// The numbers of being on a CPU and of waiting for one; those of waits follow as they come.
  static let running = 0
  static let runnable = 1
  /// What all threads do.
  static let first: ContiguousArray<IntervalKey> = [IntervalKey(.running), IntervalKey(.runnable)]

  private(set) var all: ContiguousArray<Kind>
  private var counted: ContiguousArray<Tally>

  init(_ keys: ContiguousArray<IntervalKey>, _ tallies: UnsafeBufferPointer<Tally>) {
    all = ContiguousArray(keys.lazy.map { Kind($0) })
    counted = ContiguousArray(tallies)
  }

  /// All kinds that were counted, with how often and how long.
  var tallies: [(kind: Kind, tally: Tally)] {
    Array(zip(all, counted).lazy.filter { $1.count > 0 })
  }

  /// Of each kind whether it is one of those asked for, and there are any of it.
  func has(_ isAskedFor: (Kind) -> Bool) -> [Bool] {
    zip(all, counted).map { $1.count > 0 && isAskedFor($0) }
  }

  /// Counts an interval of that kind no longer.
  mutating func remove(_ number: Int, _ length: TimeSpan) { counted[number].remove(length) }

  /// Of one run so much is not counted.
  mutating func shortenRun(by length: TimeSpan) { counted[Self.running].shorten(by: length) }

  /// Event waits with these stacks were for that; nothing is added afterwards.
  mutating func tellEventWaits(at stacks: Set<Int>, _ cause: WaitCause) {
    for number in all.indices where all[number].state == .blocked(.eventWait) {
      if let stack = all[number].stack, stacks.contains(stack) {
        all[number].state = .blocked(cause)
      }
    }
  }

  /// Takes unknown waits for event waits; nothing is added afterwards.
  mutating func takeUnknownForIdle() {
    for number in all.indices where all[number].isUnknown {
      all[number].state = .blocked(.eventWait)
    }
  }
}
