import Quantities
import TraceModel

/// Measures what runs while the main thread waits for events.
enum IdleMeasure {
  /// Adds up the seconds in which the main thread never left its event wait and nothing passed a socket, and the CPU
  /// time in them.
  static func fill(_ set: inout SignalSet, main: ThreadModel, _ activity: SubjectActivity) {
    let intervals = activity.subject.history(of: main)
    var spans: [(Timestamp, Timestamp)] = []
    let second = TimeSpan(nanoseconds: 1_000_000_000)
    for interval in intervals where interval.state == .blocked(.eventWait) {
      var at = interval.start
      while at + second <= interval.end {
        // A server's work is done by its event loops, while the main thread waits for its end.
        let bytes = activity.bytes(at, at + second)
        if bytes.sent == 0, bytes.received == 0 { spans.append((at, at + second)) }
        at = at + second
      }
    }
    let idle = Double(spans.count)
    let cpu = activity.cpuSeconds(in: spans)
    set.cpu?.idleSeconds = idle
    set.cpu?.idleCPUSeconds = cpu
  }
}
