import PerfData

/// The kinds of a thread's intervals, each with how many there are and how long they are together.
struct IntervalKinds: Sendable {
  struct Kind: Sendable {
    var state: ThreadState
    var stack: Int?
    var waker: Int32?
    /// Kept elsewhere of the first two.
    fileprivate var tally = Tally()

    /// A wait of no known cause and without a stack.
    var isUnknown: Bool { state == .blocked(.other) && stack == nil }
  }

  /// How many intervals there are, and how long they are together.
  struct Tally: Sendable {
    private(set) var count = 0
    private(set) var time = TimeSpan.zero

    @inline(__always)
    fileprivate mutating func add(_ length: TimeSpan) {
      count &+= 1
      time += length
    }

    fileprivate mutating func remove(_ length: TimeSpan) {
      count -= 1
      time -= length
    }

    fileprivate mutating func shorten(by length: TimeSpan) { time -= length }
  }

  private struct Key: Hashable {
    var state: ThreadState
    var stack: Int?
    var waker: Int32?

    @inline(__always)
    init(_ interval: ThreadInterval) {
      state = interval.state
      stack = interval.stack
      waker = interval.waker
    }
  }

  /// Numbers below this are kept in an interval's first byte.
  static let narrow = 63

  /// Running and runnable come first, the kinds of waits as they come.
  private(set) var all: ContiguousArray<Kind> = [
    Kind(state: .running), Kind(state: .runnable),
  ]
  /// Of the first two, which are two thirds of all intervals and not looked for.
  private var runs = Tally()
  private var queued = Tally()
  private var numbers: [Key: Int] = [:]
  /// The number of the last wait of each low part of its waker and stack.
  private var recent = InlineArray<32, Int32>(repeating: 0)

  /// Counts an interval and tells the number of its kind.
  @inline(__always)
  mutating func add(_ interval: ThreadInterval, _ length: TimeSpan) -> Int {
    if interval.stack == nil, interval.waker == nil {
      if interval.state == .running {
        runs.add(length)
        return 0
      }
      if interval.state == .runnable {
        queued.add(length)
        return 1
      }
    }
    let number = other(interval)
    all[number].tally.add(length)
    return number
  }

  @inline(__always)
  private mutating func other(_ interval: ThreadInterval) -> Int {
    let place = (Int(truncatingIfNeeded: interval.waker ?? 21) &+ 9 &* (interval.stack ?? 0)) & 31
    let guess = Int(recent[place])
    let kind = all[guess]
    if kind.waker == interval.waker, kind.stack == interval.stack, kind.state == interval.state {
      return guess
    }
    return find(interval, place)
  }

  @inline(never)
  private mutating func find(_ interval: ThreadInterval, _ place: Int) -> Int {
    let key = Key(interval)
    let number = numbers[key] ?? insert(interval)
    recent[place] = Int32(truncatingIfNeeded: number)
    return number
  }

  private mutating func insert(_ interval: ThreadInterval) -> Int {
    let kind = Kind(state: interval.state, stack: interval.stack, waker: interval.waker)
    // After an unknown wait stands the event wait that it may turn out to be, kept in as many bytes.
    if kind.isUnknown, all.count == Self.narrow - 1 { all.append(Kind(state: .running)) }
    let number = all.count
    all.append(kind)
    numbers[Key(interval)] = number
    if kind.isUnknown {
      all.append(Kind(state: .blocked(.eventWait), waker: interval.waker))
    }
    return number
  }

  /// All kinds that were counted, with how often and how long.
  var tallies: [(kind: Kind, tally: Tally)] {
    all.indices.map { (all[$0], self[tally: $0]) }.filter { $0.tally.count > 0 }
  }

  /// How often and how long intervals of that number are.
  private subscript(tally number: Int) -> Tally {
    get { number == 0 ? runs : number == 1 ? queued : all[number].tally }
    set {
      switch number {
      case 0: runs = newValue
      case 1: queued = newValue
      default: all[number].tally = newValue
      }
    }
  }

  /// Counts an interval of that kind no longer.
  mutating func remove(_ number: Int, _ length: TimeSpan) { self[tally: number].remove(length) }

  /// Of one run so much is not counted.
  mutating func shortenRun(by length: TimeSpan) { runs.shorten(by: length) }

  /// An unknown wait of that kind was an event wait: it is of the kind that follows.
  mutating func tellIdle(_ number: Int, _ length: TimeSpan) {
    all[number].tally.remove(length)
    all[number + 1].tally.add(length)
  }

  /// Takes unknown waits for event waits; nothing is added afterwards.
  mutating func takeUnknownForIdle() {
    for number in all.indices where all[number].isUnknown {
      all[number].state = .blocked(.eventWait)
    }
  }
}

extension WaitCause {
  /// The place in `allCases`.
  var rank: Int {
    switch self {
    case .eventWait: 0
    case .file: 1
    case .sync: 2
    case .network: 3
    case .lock: 4
    case .sleep: 5
    case .child: 6
    case .pageFault: 7
    case .ipc: 8
    case .other: 9
    }
  }
}
