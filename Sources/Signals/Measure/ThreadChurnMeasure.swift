import Quantities
import TraceModel

/// Counts the threads that the process made for itself.
enum ThreadChurnMeasure {
  static let shortLife = 0.1

  static func measure(_ subject: SubjectView) -> ThreadChurnSignal {
    var groups: [String: ThreadGroup] = [:]
    var lives: [(start: Timestamp, end: Timestamp)] = []
    let isAttached = subject.trace.capture?.mode == .attach
    for thread in subject.threads where thread.tid != subject.pid {
      // On attach, the threads that were there begin with the recording.
      if isAttached, (thread.start - subject.trace.start).seconds < 0.01 { continue }
      guard RoleSignature.role(ofThreadNamed: thread.name) == .other else { continue }
      let length = thread.end.map { ($0 - thread.start).seconds }
      let isShort = length.map { $0 < shortLife } ?? false
      let name = thread.name.isEmpty ? "(no name)" : thread.name
      var group = groups[name] ?? ThreadGroup(name: name)
      group.created += 1
      if isShort { group.shortLived += 1 }
      group.cpuSeconds += thread.runningTime.seconds
      groups[name] = group
      lives.append((thread.start, thread.end ?? subject.end))
    }
    let sorted = groups.values.sorted { ($1.created, $0.name) < ($0.created, $1.name) }
    return ThreadChurnSignal(
      created: lives.count, repeated: lives.count - mostAtOnce(lives),
      shortLived: sorted.reduce(0) { $0 + $1.shortLived }, byName: sorted)
  }

  /// How many of them lived at once, at most.
  static func mostAtOnce(_ lives: [(start: Timestamp, end: Timestamp)]) -> Int {
    let starts = lives.map(\.start).sorted()
    let ends = lives.map(\.end).sorted()
    var (ended, most) = (0, 0)
    for (begun, start) in starts.enumerated() {
      while ended < ends.count, ends[ended] <= start { ended += 1 }
      most = max(most, begun + 1 - ended)
    }
    return most
  }
}
