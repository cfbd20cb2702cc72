import Quantities
import TraceModel

/// Marks and intervals, those that signals make among them.
enum MarkMeasure {
  /// How long a program has to react to a warning.
  static let reactionSeconds = 5.0

  static func marks(_ activity: SubjectActivity, signalMarks: [Int: String]) -> [Mark] {
    let subject = activity.subject
    // A mark of the recorded command is about the program that it started.
    let root = subject.trace.capture.map { Int32(truncatingIfNeeded: $0.rootPid) }
    var found: [(time: Timestamp, name: String, how: String)] = subject.trace.marks.filter {
      ($0.pid == subject.pid || $0.pid == root) && $0.event.kind == .mark
    }.map { ($0.time, $0.event.name, $0.event.how) }
    for signal in subject.trace.signals where signal.pid == subject.pid {
      guard let name = signalMarks[signal.number] else { continue }
      found.append((signal.time, name, "signal \(signal.number)"))
    }
    let reaction = TimeSpan(nanoseconds: Int64(reactionSeconds * 1e9))
    return found.sorted { $0.time < $1.time }.map { entry in
      var mark = Mark(time: subject.time(entry.time), name: entry.name, how: entry.how)
      if mark.isMemoryPressure {
        mark.footprintBytes = activity.footprint(at: entry.time)
        mark.lowestFootprintBytes = activity.lowestFootprint(entry.time, entry.time + reaction)
      }
      return mark
    }
  }

  static func intervals(_ activity: SubjectActivity) -> [Interval] {
    struct Key: Hashable {
      var name: String
      var identifier: UInt64
    }
    let subject = activity.subject
    var open: [Key: [MarkRecord]] = [:]
    var closed: [(begin: MarkRecord, end: Timestamp?)] = []
    for record in subject.trace.marks.sorted(by: { $0.time < $1.time })
    where record.pid == subject.pid && record.event.kind != .mark {
      let key = Key(name: record.event.name, identifier: record.event.identifier ?? 0)
      if record.event.kind == .begin {
        open[key, default: []].append(record)
      } else if let begin = open[key]?.popLast() {
        closed.append((begin, record.time))
      }
    }
    for records in open.values { closed += records.map { ($0, nil) } }
    return closed.sorted {
      ($0.begin.time, $0.begin.event.name) < ($1.begin.time, $1.begin.event.name)
    }.map { interval($0.begin, $0.end, activity) }
  }

  private static func interval(
    _ begin: MarkRecord, _ end: Timestamp?, _ activity: SubjectActivity
  ) -> Interval {
    let subject = activity.subject
    var interval = interval(begin.event.name, from: begin.time, to: end, activity)
    interval.thread = subject.threads.first { $0.tid == begin.tid }?.name ?? ""
    interval.how = begin.event.how
    return interval
  }

  /// What a process used between two moments; one without an end lasts until the process ends.
  static func interval(
    _ name: String, from begin: Timestamp, to end: Timestamp?, _ activity: SubjectActivity
  ) -> Interval {
    let until = end ?? max(activity.subject.end, begin)
    let bytes = activity.bytes(begin, until)
    return Interval(
      name: name, start: activity.subject.time(begin), durationSeconds: (until - begin).seconds,
      isOpen: end == nil, cpuSeconds: activity.cpuSeconds(begin, until),
      wakeups: activity.wakeups(begin, until).all, bytesSent: bytes.sent,
      bytesReceived: bytes.received, bytesWritten: bytes.written)
  }
}
