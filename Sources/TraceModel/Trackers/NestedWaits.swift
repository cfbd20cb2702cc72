import Quantities

/// Finds waits for events within what an event loop does for one event: a library's that polls until it has its answer.
/// They are idle for that library alone; all of the loop's other events wait meanwhile.
///
/// A thread has a loop where it waits for events, works and waits there again. A stack that goes through the function
/// of the loop, and from there by the program's to another wait, is of a piece of that work, if the thread comes back
/// to the loop from it.
struct NestedWaits {
  private let table: StackTable
  /// The user frames of stacks of event waits, the outermost first.
  private var chains: [Int: [Frame]] = [:]

  /// The places of a thread with more are not compared.
  private static let mostPlaces = 64

  init(_ table: StackTable) { self.table = table }

  /// Tells the nested waits of all threads.
  mutating func tell(_ threads: inout [ThreadModel]) {
    for index in threads.indices {
      let nested = nested(in: threads[index].intervals)
      if !nested.isEmpty { threads[index].intervals.tellEventWaits(at: nested, .other) }
    }
  }

  private mutating func nested(in history: ThreadHistory) -> Set<Int> {
    let places = history.eventWaitStacks
    guard (2...Self.mostPlaces).contains(places.count) else { return [] }
    for place in places where chains[place] == nil {
      chains[place] = table.frames(of: place).reversed().filter { !$0.isKernel }
    }
    var loops: [Int: Set<Int>] = [:]
    for place in places where !isLoop(place) {
      let around = places.filter { $0 != place && isNested(place, in: $0) }
      if !around.isEmpty { loops[place] = around }
    }
    return loops.isEmpty ? [] : returning(loops, in: history)
  }

  /// Whether functions that are known to wait for a loop's events do.
  private func isLoop(_ place: Int) -> Bool {
    WaitClassifier.isIdle((chains[place] ?? []).reversed())
  }

  /// Whether a wait is in what another's function calls for an event.
  ///
  /// The loop itself goes to its wait by no function of the program, or by those that are known to be loops'; an
  /// interpreter's loop calls the interpreter again.
  private func isNested(_ place: Int, in loop: Int) -> Bool {
    guard let inner = chains[place], let outer = chains[loop] else { return false }
    // Of a stack that is deeper than what was taken the loop's own part is missing, where the loop's is all there.
    if inner.first?.isGap == true, outer.first?.isGap == false {
      return inner.count > outer.count
        && inner.contains { frame in outer.contains { Self.isSame(frame, $0) && !$0.isWait } }
    }
    let common = zip(inner, outer).prefix { Self.isSame($0, $1) }.count
    guard common > 0, common < inner.count else { return false }
    let function = inner[common - 1]
    let (own, loops) = (inner[common...], outer[common...])
    if own.contains(where: { Self.isSame($0, function) }) {
      return !loops.contains { Self.isSame($0, function) }
    }
    return own.contains(where: \.isProgram) && (isLoop(loop) || !loops.contains(where: \.isProgram))
  }

  private static func isSame(_ one: Frame, _ other: Frame) -> Bool {
    guard one.module == other.module, !one.isGap else { return false }
    return one.function.map { $0 == other.function }
      ?? (other.function == nil && one.moduleOffset == other.moduleOffset)
  }

  /// Those places from most of whose waits the thread comes back to the loop around them.
  private func returning(_ loops: [Int: Set<Int>], in history: ThreadHistory) -> Set<Int> {
    /// Spells in work with such waits, each after a wait of the loop, and those after which there was another.
    var begun: [Int: Int] = [:]
    var ended: [Int: Int] = [:]
    var last: Int?
    var within: Set<Int> = []
    for interval in history {
      guard interval.state == .blocked(.eventWait), let place = interval.stack else { continue }
      if let around = loops[place] {
        if let last, around.contains(last), within.insert(place).inserted {
          begun[place, default: 0] += 1
        }
      } else {
        for nested in within where loops[nested]?.contains(place) == true {
          ended[nested, default: 0] += 1
          within.remove(nested)
        }
        last = place
      }
    }
    return Set(loops.keys.filter { 2 * ended[$0, default: 0] >= max(begun[$0, default: 0], 1) })
  }
}

extension Frame {
  /// It is the C library's function that waits, which all waits have.
  fileprivate var isWait: Bool { LibraryWaits.isWait(function) }
}
