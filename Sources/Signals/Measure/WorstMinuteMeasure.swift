import Quantities
import TraceModel

/// Finds for each signal the minute of a long recording to look at first.
enum WorstMinuteMeasure {
  /// A shorter recording is looked at whole.
  static let shortest = 180.0
  private static let minute = 60.0
  /// In a longer one, of ten weeks, a minute is nothing to look for.
  private static let longest = 100_000 * minute

  static func measure(_ subject: SubjectView, _ signals: SignalSet) -> [WorstMinute] {
    guard subject.seconds >= shortest, subject.seconds <= longest else { return [] }
    let origin = subject.time(subject.start)
    let count = Int((subject.seconds / minute).rounded(.up))
    var worst: [WorstMinute] = []
    func add(
      _ signal: String, _ unit: String, _ what: String, _ fill: ((Double, Double) -> Void) -> Void
    ) {
      var minutes = [Double](repeating: 0, count: count)
      fill { time, amount in
        let index = Int((time - origin) / minute)
        if minutes.indices.contains(index) { minutes[index] += amount }
      }
      guard let best = minutes.indices.max(by: { (minutes[$0], $1) < (minutes[$1], $0) }),
        minutes[best] > 0
      else { return }
      worst.append(
        WorstMinute(
          signal: signal, start: origin + Double(best) * minute, value: minutes[best], unit: unit,
          what: what))
    }
    if let main = signals.mainThread {
      add("mainThread", "s", "time beyond 100 ms in turns of the main thread") { put in
        for hang in main.hangs { put(hang.start, hang.durationSeconds - 0.1) }
      }
    }
    if signals.cpu != nil {
      add("cpu", "s", "CPU time") { put in
        for (time, length) in subject.sampledTimes { put(subject.time(time), length.seconds) }
        for thread in subject.threads where thread.sampledTime == nil {
          var walk = ThreadHistory.Walk(thread.intervals)
          var before = TimeSpan.zero
          for index in 0..<count where before < thread.runningTime {
            let until = walk.times(
              before: subject.start + TimeSpan(seconds: Double(index + 1) * minute)
            ).running
            put(origin + Double(index) * minute, (until - before).seconds)
            before = until
          }
        }
      }
    }
    if signals.wakeups != nil {
      add("wakeups", "1", "wakeups") { put in
        for wakeup in subject.trace.wakeups.matching({ $0.pid == subject.pid }) {
          put(subject.time(wakeup.time), 1)
        }
      }
    }
    if signals.network != nil {
      add("network", "B", "bytes sent and received") { put in
        for transfer in subject.trace.transfers.internet(of: subject.pid) {
          put(subject.time(transfer.time), Double(transfer.bytes &* transfer.weight))
        }
      }
    }
    if signals.disk != nil {
      add("disk", "B", "bytes written") { put in
        for operation in subject.trace.fileOperations.onDisk(by: subject.pid) {
          guard case .write = operation.kind else { continue }
          put(subject.time(operation.time), Double(operation.bytes &* operation.weight))
        }
      }
    }
    return worst
  }
}
