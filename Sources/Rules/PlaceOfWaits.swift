import Quantities
import Signals

/// Waits for one cause in one function, by whatever stacks and threads.
struct PlaceOfWaits {
  private struct Key: Hashable {
    var cause: String
    var function: String?
    var module: String?
  }

  private var tids: Set<Int>
  private var thread: String
  /// The waits together, with the stack of those that took longest.
  private var blocking: Blocking
  private var longest: Double

  private init(_ tid: Int, _ thread: String, _ blocking: Blocking) {
    tids = [tid]
    self.thread = thread
    self.blocking = blocking
    longest = blocking.seconds
  }

  /// The worst places, each once.
  static func evidence(
    of waits: [(tid: Int, thread: String, blocking: Blocking)], namesWaker: Bool
  ) -> [Evidence] {
    var places: [PlaceOfWaits] = []
    var known: [Key: Int] = [:]
    for (tid, thread, blocking) in waits {
      let blamed = blocking.stack.blamed
      let key = Key(
        cause: blocking.cause.rawValue, function: blamed?.function, module: blamed?.module)
      if let index = known[key] {
        places[index].add(PlaceOfWaits(tid, thread, blocking))
      } else {
        known[key] = places.count
        places.append(PlaceOfWaits(tid, thread, blocking))
      }
    }
    return places.sorted { $0.blocking.seconds > $1.blocking.seconds }.prefix(8).map {
      $0.evidence(namesWaker: namesWaker)
    }
  }

  private mutating func add(_ other: PlaceOfWaits) {
    tids.formUnion(other.tids)
    if other.longest > longest {
      (thread, longest) = (other.thread, other.longest)
      (blocking.stack, blocking.waker) = (other.blocking.stack, other.blocking.waker)
    }
    blocking.seconds += other.blocking.seconds
    blocking.count += other.blocking.count
  }

  private func evidence(namesWaker: Bool) -> Evidence {
    let function = blocking.stack.blamed.map { " in \($0.function)" } ?? ""
    let threads = tids.count > 1 ? " on \(Figures.count(tids.count, "thread"))" : ""
    let waker = namesWaker ? blocking.waker.map { ", ended by \($0)" } ?? "" : ""
    return Evidence(
      summary: "\(Figures.seconds(blocking.seconds)) in \(Figures.count(blocking.count, "wait"))"
        + " (\(blocking.cause.rawValue))\(threads)\(function)\(waker)",
      value: blocking.seconds, unit: "s", thread: thread.isEmpty ? nil : thread,
      stack: blocking.stack)
  }
}
