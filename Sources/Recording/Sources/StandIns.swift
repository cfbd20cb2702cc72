import Glibc
import PerfData

/// Decides when events of the machine's CPUs take the place of those of a target's threads, once and for all.
///
/// The kernel puts the events of a thread on a CPU and takes them off again at each of its switches: 1 to 2 µs for both ways, however
/// few they are and whether they are on. Events of a CPU stay where they are, but see the threads of all processes: they are
/// cheaper where the target makes a good part of the machine's switches.
struct StandIns {
  /// SWITCH records a second, of which a wait makes two: what the threads' own events cost is 2 % of a CPU by then.
  private static let rate = 20_000.0
  /// Of the machine's switches so many at most for each one of the target; with half of them the target's, events of CPUs cost
  /// half as much as its own did.
  private static let mostForEach = 4.0
  /// For how long both must have been so.
  private static let span: UInt64 = 300_000_000
  /// With more CPUs it would cost more to begin a recording, by an event of each for each of these.
  private static let mostCPUs = 16
  /// PROC_PID_INIT_INO: in other namespaces the ids that a filter sees are not those of the records.
  private static let initialNamespace: UInt64 = 0xefff_fffc

  /// When they took over.
  private(set) var since = UInt64.max
  var areOn: Bool { since != .max }

  private var canTakeOver: Bool
  private var high: (since: UInt64, machine: UInt64)?

  /// Whether they are worth being opened here.
  static var arePossible: Bool {
    var information = stat()
    return stat("/proc/self/ns/pid", &information) == 0
      && UInt64(information.st_ino) == initialNamespace
      && SystemInfo.onlineCPUs().count <= mostCPUs
  }

  init(canTakeOver: Bool) { self.canTakeOver = canTakeOver }

  /// Whether it is time, by the rate of the target's SWITCH records and the count of the machine's switches.
  mutating func areDue(_ perSecond: Double, now: UInt64, machine: () -> UInt64?) -> Bool {
    guard canTakeOver, !areOn, perSecond > Self.rate, let switches = machine() else {
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

  /// Puts them in the place of the events of these threads, and closes those.
  ///
  /// - Returns: The numbers of events with the numbers of those that took their place; nil where they could not.
  mutating func takeOver(_ events: EventSet, from threads: [Int32]) -> [Int: Int]? {
    canTakeOver = false
    guard let filter = ThreadFilter(threads) else { return nil }
    var places: [Int: Int] = [:]
    for (index, opened) in events.events.enumerated() where !opened.ids.isEmpty {
      guard let old = opened.spec.standsInFor else { continue }
      switch opened.spec.role {
      case .sampled where !opened.spec.isSliced:
        guard events.setFilter(index, filter.ofThese) else { return nil }
      case .sampledOfLater:
        guard events.setFilter(index, filter.ofOthers) else { return nil }
        continue
      default: break
      }
      places[old] = index
    }
    for (index, opened) in events.events.enumerated() where opened.spec.standsInFor != nil {
      if case .sampledOfLater = opened.spec.role { events.set(index, enabled: true) }
    }
    for (old, new) in places { events.replace(old, by: new) }
    since = SystemInfo.monotonicNanoseconds()
    for old in places.keys { events.close(old) }
    events.closeThreadGates()
    return places
  }
}

/// Tells threads by their ids in a tracepoint's filter.
struct ThreadFilter {
  let ofThese: String
  let ofOthers: String

  /// Each is evaluated at each event.
  private static let mostRanges = 32

  /// Nil when they are too many.
  init?(_ threads: [Int32]) {
    var ranges: [ClosedRange<Int32>] = []
    for tid in Set(threads).sorted() {
      if let last = ranges.last, last.upperBound + 1 == tid {
        ranges[ranges.count - 1] = last.lowerBound...tid
      } else {
        ranges.append(tid...tid)
      }
    }
    guard !ranges.isEmpty, ranges.count <= Self.mostRanges else { return nil }
    ofThese = ranges.map { "(common_pid>=\($0.lowerBound)&&common_pid<=\($0.upperBound))" }
      .joined(separator: "||")
    ofOthers = ranges.map { "(common_pid<\($0.lowerBound)||common_pid>\($0.upperBound))" }
      .joined(separator: "&&")
  }
}
