import Quantities
import TraceModel

/// Finds polls that follow each other before a burst is over.
///
/// Bursts end after 1.5 s of silence, so that of a question each second there is one long burst and no period. What
/// tells a poll from other talk is that the program waits by its own clock: it asks at a regular interval of which it
/// spends the larger part after the answer, doing nothing with that host. Who asks again as soon as it has an answer,
/// or answers what it was told, does not.
enum QuickPollMeasure {
  /// Fewer may be regular by chance.
  static let fewest = 10
  /// Calls and games exchange sound and positions faster, which is no polling.
  static let shortest = 0.1
  /// What brings more at a time is a transfer, not a question whether there is something.
  static let mostBytes = 4096.0

  private struct Question {
    var time: Double
    /// How long nothing was exchanged before it.
    var silence: Double
    var answer: UInt64 = 0
    var stack: Int?
  }

  static func measure(_ subject: SubjectView, counts: (Int?) -> Bool) -> [QuickPolls] {
    let connections = subject.trace.connections
    var questions: [String: [Question]] = [:]
    var last: [String: (time: Double, isReceive: Bool)] = [:]
    for transfer in subject.trace.transfers.internet(of: subject.pid) {
      guard let index = transfer.connection, counts(index), !connections[index].isServerSide
      else { continue }
      let host = NetworkMeasure.host(connections[index].remote)
      // Of sampled transfers nobody knows which is a question's first.
      guard transfer.weight == 1 else {
        questions[host] = nil
        last[host] = nil
        continue
      }
      let time = subject.time(transfer.time)
      let isReceive = transfer.direction == .receive
      if !isReceive, last[host]?.isReceive != false {
        questions[host, default: []].append(
          Question(
            time: time, silence: time - (last[host]?.time ?? time), stack: transfer.stack))
      }
      if isReceive, let asked = questions[host]?.indices.last {
        questions[host]?[asked].answer &+= transfer.bytes
      }
      last[host] = (time, isReceive)
    }
    return questions.compactMap { polls($0.value, of: $0.key, subject) }
      .sorted { ($0.periodSeconds, $0.host) < ($1.periodSeconds, $1.host) }
  }

  private static func polls(
    _ questions: [Question], of host: String, _ subject: SubjectView
  ) -> QuickPolls? {
    let times = questions.map(\.time)
    guard let first = times.first, let last = times.last,
      let train = Periodicity.detect(times, fewest: fewest),
      train.periodSeconds >= shortest, train.periodSeconds < RadioModel.burstGapSeconds,
      let silence = Quantiles.median(questions.dropFirst().map(\.silence)),
      silence >= train.periodSeconds / 2,
      let answer = Quantiles.median(questions.map { Double($0.answer) }), answer > 0,
      answer <= mostBytes
    else { return nil }
    return QuickPolls(
      host: host, periodSeconds: train.periodSeconds, count: train.count, start: first, end: last,
      stack: subject.frames(questions.lazy.compactMap(\.stack).first))
  }
}
