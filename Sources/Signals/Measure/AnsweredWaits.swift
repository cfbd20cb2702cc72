import Quantities
import TraceModel

/// Which timed waits were a server's, over a request: after them the answer went out.
///
/// A handler that waits and then answers does not poll, and nobody gains by its wait being longer. What it hands to an
/// event loop that is awake leaves no wake behind by which the answer could be followed; but the answer is sent soon
/// after, on a connection whose request came before the wait. Each answer stands for one wait.
struct AnsweredWaits {
  /// An answer that came of a wait is sent so soon after it. Hummingbird's, in a debug build with two CPUs and as
  /// measured by Lull, took 0.1 to 1.5 ms; this leaves room for a busy machine.
  private static let soon: UInt64 = 5_000_000

  private struct Wait {
    let tid: Int32
    let start: UInt64
    let end: UInt64
  }

  private struct Answer {
    let request: UInt64
    let time: UInt64
  }

  private struct Ends: Hashable {
    let socket: UInt64
    let connection: Int?
  }

  private var answered: [Int32: Set<UInt64>] = [:]
  /// How long each request was open before it was answered, ascending.
  private var delays: [UInt64] = []
  private let seconds: Double

  /// Of waits that ended at these times, by thread.
  init(_ expiries: [Int32: [Timestamp]], in subject: SubjectView) {
    seconds = max(subject.seconds, 1e-9)
    guard !expiries.isEmpty else { return }
    let answers = Self.answers(subject)
    guard !answers.isEmpty else { return }
    delays = answers.map { $0.time - $0.request }.sorted()
    var first = 0
    var taken: Set<Int> = []
    for wait in Self.waits(expiries, in: subject) {
      while first < answers.count, answers[first].time < wait.end { first += 1 }
      for index in first..<answers.count {
        guard answers[index].time <= wait.end + Self.soon else { break }
        guard answers[index].request <= wait.start, taken.insert(index).inserted else { continue }
        answered[wait.tid, default: []].insert(wait.end)
        break
      }
    }
  }

  /// Whether an answer followed the wait that ended then.
  func contains(_ tid: Int32, _ end: Timestamp) -> Bool {
    answered[tid]?.contains(end.nanoseconds) == true
  }

  /// How likely it is at most that an answer follows a wait of such a length with which it has nothing to do.
  func chance(of length: TimeSpan) -> Double {
    let open = delays.count - delays.partitioningIndex { $0 >= UInt64(max(0, length.nanoseconds)) }
    return min(1, Double(open) / seconds * Double(Self.soon) / 1e9)
  }

  /// What was first sent after something had been received, on each connection that others opened.
  private static func answers(_ subject: SubjectView) -> [Answer] {
    let side = ServerSide(subject)
    // Nil where the socket is no server's, 0 where nothing is to be answered.
    var requests: [Ends: UInt64?] = [:]
    var answers: [Answer] = []
    for transfer in subject.trace.transfers.internet(of: subject.pid) {
      let ends = Ends(socket: transfer.socket, connection: transfer.connection)
      let known =
        requests[ends]
        ?? (side.has(connection: transfer.connection, first: transfer.direction) ? 0 : nil)
      let time = transfer.time.nanoseconds
      guard let request = known else {
        requests.updateValue(nil, forKey: ends)
        continue
      }
      switch transfer.direction {
      case .receive: requests.updateValue(request > 0 ? request : time, forKey: ends)
      case .send:
        if request > 0, request <= time { answers.append(Answer(request: request, time: time)) }
        requests.updateValue(0, forKey: ends)
      }
    }
    return answers.sorted { $0.time < $1.time }
  }

  private static func waits(
    _ expiries: [Int32: [Timestamp]], in subject: SubjectView
  ) -> [Wait] {
    var waits: [Wait] = []
    for thread in subject.threads {
      guard let ends = expiries[thread.tid]?.sorted() else { continue }
      var next = 0
      for interval in subject.history(of: thread) {
        guard case .blocked = interval.state else { continue }
        while next < ends.count, ends[next] < interval.end { next += 1 }
        guard next < ends.count else { break }
        guard ends[next] == interval.end else { continue }
        waits.append(
          Wait(
            tid: thread.tid, start: interval.start.nanoseconds, end: interval.end.nanoseconds))
      }
    }
    return waits.sorted { ($0.end, $0.tid) < ($1.end, $1.tid) }
  }
}
