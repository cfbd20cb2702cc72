import Quantities
import TraceModel

/// The main thread's turns, by which it handles what it is told.
struct HandlerTurns {
  /// In the order of time, without an overlap.
  private let turns: [(start: Timestamp, end: Timestamp)]
  /// A turn that begins later after a moment has another cause.
  private static let soon = TimeSpan(seconds: 1)

  init(of choice: MainThreadChoice, in subject: SubjectView) {
    switch choice.parked {
    case .works(let work)?:
      turns = work.turns(in: subject).map { ($0.start, $0.end) }
    case .idle?, .untold?: turns = []
    case nil:
      var turns: [(start: Timestamp, end: Timestamp)] = []
      var begin = subject.start
      let history = subject.history(of: choice.thread)
      // A program without an event loop is told nothing: all its life is one turn.
      guard history.totals.eventWaits > 0 else {
        self.turns = []
        return
      }
      for wait in history.idleWaits {
        if wait.start > begin { turns.append((begin, wait.start)) }
        begin = wait.end
      }
      if begin < subject.end { turns.append((begin, subject.end)) }
      self.turns = turns
    }
  }

  /// For how long the main thread was at what it was told at a moment: the rest of its turn, or the turn that begins
  /// within a second; nil where there is none.
  func seconds(at time: Timestamp) -> Double? {
    let next = turns.partitioningIndex { $0.end > time }
    guard next < turns.count, turns[next].start < time + Self.soon else { return nil }
    return (turns[next].end - max(turns[next].start, time)).seconds
  }
}
