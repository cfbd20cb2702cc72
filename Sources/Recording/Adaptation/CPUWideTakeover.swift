/// Decides when CPU-wide events take the place of the per-thread events of a target, once and for all.
///
/// The kernel puts the events of a thread on a CPU and takes them off again at each of its switches: 1 to 2 µs for both
/// ways, however few they are and whether they are on. Events of a CPU stay where they are, but see the threads of all
/// processes: they are cheaper where the target makes a good part of the machine's switches.
struct CPUWideTakeover {
  /// SWITCH records a second, of which a wait makes two: what the threads' own events cost is 2 % of a CPU by then.
  static let rate = 20_000.0
  /// Of the machine's switches so many at most for each one of the target; with half of them the target's, events of
  /// CPUs cost half as much as its own did.
  private static let mostForEach = 4.0
  /// For how long both must have been so.
  private static let span: UInt64 = 300_000_000
  /// Of the machine's switches so many at most for each new thread of the target, whose events take 0.9 ms: with more,
  /// the CPUs' events take as long.
  private static let mostForThread = 500.0
  /// With more CPUs it would cost more to begin a recording, by an event of each for each of these.
  private static let mostCPUs = 16

  /// When it happened.
  private(set) var since = UInt64.max
  var isDone: Bool { since != .max }

  private var isPossible: Bool
  private var high: (since: UInt64, machine: UInt64)?
  private var first: (time: UInt64, machine: UInt64)?

  /// Whether CPU-wide events are worth being opened here: they count what all programs transfer, so that the transfers
  /// of the target have to be counted otherwise.
  static func isPossible(countsTransfers: Bool, among specs: [EventSpec]) -> Bool {
    let transfers = specs.contains {
      if case .whole(let source) = $0.cost { source.direction != nil } else { false }
    }
    return (countsTransfers || !transfers) && SystemInfo.onlineCPUs().count <= mostCPUs
  }

  /// All events may be those of CPUs from the beginning.
  init(isPossible: Bool, isDone: Bool = false) {
    self.isPossible = isPossible
    if isDone { since = 0 }
  }

  /// Whether it is time, by the rate of the target's SWITCH records and the count of the machine's switches.
  mutating func isDue(_ perSecond: Double, now: UInt64, machine: () -> UInt64?) -> Bool {
    guard isPossible, !isDone, perSecond > Self.rate, let switches = machine() else {
      high = nil
      return false
    }
    guard let high else {
      high = (now, switches)
      return false
    }
    let elapsed = now &- high.since
    guard elapsed >= Self.span else { return false }
    self.high = (now, switches)
    let all = Double(switches &- high.machine) / (Double(elapsed) / 1e9)
    return all <= perSecond / 2 * Self.mostForEach
  }

  /// Whether it is time, by the rate of new threads and the machine's switches since the last look.
  mutating func isDue(
    threads perSecond: Double, now: UInt64, machine: () -> UInt64?
  ) -> Bool {
    guard isPossible, !isDone, let switches = machine() else { return false }
    guard let first, now > first.time else {
      first = (now, switches)
      return false
    }
    self.first = (now, switches)
    let all = Double(switches &- first.machine) / (Double(now &- first.time) / 1e9)
    return all <= perSecond * Self.mostForThread
  }

  /// Puts the CPU-wide events in the place of the threads', which are to be closed.
  ///
  /// - Returns: The numbers of events with the numbers of those that took their place.
  mutating func takeOver(_ events: EventSet, opensGates: Bool) -> [Int: Int] {
    isPossible = false
    var places: [Int: Int] = [:]
    for (index, opened) in events.events.enumerated() where !opened.ids.isEmpty {
      if let old = opened.spec.replaced { places[old] = index }
    }
    for (old, new) in places { events.set(new, enabled: events.events[old].isOn) }
    // What is sliced waits for its CPU's gate. To switch off the events of many threads takes a fifth of a second and
    // more, and what begins meanwhile is seen by those of the CPUs alone.
    if opensGates { events.gates.set(enabled: true) }
    since = SystemInfo.monotonicNanoseconds()
    return places
  }
}
