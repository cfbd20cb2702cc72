import Quantities
import TraceModel

/// From leaving an event wait, or a stop, to the next.
struct Turn {
  /// All that its thread did: held once, since there are many turns.
  final class Life {
    let intervals: ThreadHistory
    let tid: Int32

    init(_ intervals: ThreadHistory, tid: Int32) {
      self.intervals = intervals
      self.tid = tid
    }
  }

  private let life: Life
  private let places: Range<Int>
  let start: Timestamp
  let end: Timestamp

  var tid: Int32 { life.tid }
  var intervals: ThreadHistory { life.intervals[places] }
  /// The place of the interval after it in its thread's life.
  var endIndex: Int { places.upperBound }
  var length: TimeSpan { end - start }

  private init(of life: Life, _ places: Range<Int>, _ start: Timestamp, _ end: Timestamp) {
    self.life = life
    self.places = places
    self.start = start
    self.end = end
  }

  /// A whole history as one turn.
  init(_ intervals: ThreadHistory, tid: Int32) {
    let start = intervals.first?.start ?? Timestamp(nanoseconds: 0)
    self.init(
      of: Life(intervals, tid: tid), intervals.startIndex..<intervals.endIndex, start,
      intervals.last?.end ?? start)
  }

  /// Some of its intervals that follow each other.
  func part(_ places: Range<Int>) -> Turn? {
    guard let start = life.intervals[places].first?.start,
      let last = life.intervals[(places.upperBound - 1)...].first
    else { return nil }
    return Turn(of: life, places, start, last.end)
  }

  /// The turns of a thread's life, which its event waits and stops divide.
  struct All {
    var count = 0
    var first: Turn?
    /// Those that last at least as long as asked for.
    var long: [Turn] = []
    var longest = TimeSpan.zero
    /// How long each of them was.
    var lengths = SpanHistogram()
  }

  /// `shortest` is of the turns to keep; none are kept where it is nil. Of a thread that `startsLate` the first begins
  /// with the end of the wait that it was in, where nothing is known of that: it may have been for events.
  static func split(
    _ intervals: ThreadHistory, tid: Int32, keeping shortest: TimeSpan?, startsLate: Bool
  ) -> All {
    var all = All()
    guard let first = intervals.first else { return all }
    let life = Life(intervals, tid: tid)
    // Intervals follow each other without gaps: a turn begins where an event wait ends.
    var begin = intervals.startIndex
    var start = first.start
    if startsLate, first.state == .blocked(.unknown) { (begin, start) = (begin + 1, first.end) }
    func end(_ index: Int, _ time: Timestamp) {
      guard index > begin else { return }
      all.count += 1
      let length = time - start
      all.longest = max(all.longest, length)
      all.lengths.add(length.nanoseconds)
      let isLong = shortest.map { length >= $0 } ?? false
      guard isLong || all.first == nil else { return }
      let turn = Turn(of: life, begin..<index, start, time)
      if isLong { all.long.append(turn) }
      all.first = all.first ?? turn
    }
    for wait in intervals.idleWaits {
      end(wait.index, wait.start)
      begin = wait.index + 1
      start = wait.end
    }
    if let last = intervals.last { end(intervals.endIndex, last.end) }
    return all
  }
}

extension SubjectView {
  /// The turns of one of its threads; `shortest` is of those to keep.
  func turns(of thread: ThreadModel, keeping shortest: TimeSpan?) -> Turn.All {
    Turn.split(
      history(of: thread), tid: thread.tid, keeping: shortest, startsLate: trace.startsLate)
  }
}
