import Quantities
import TraceModel

/// Counts the threads that the process made for itself.
enum ThreadChurnMeasure {
  static let shortLife = 0.1

  static func measure(_ subject: SubjectView) -> ThreadChurnSignal {
    var groups: [String: ThreadGroup] = [:]
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
    }
    let sorted = groups.values.sorted { ($1.created, $0.name) < ($0.created, $1.name) }
    return ThreadChurnSignal(
      created: sorted.reduce(0) { $0 + $1.created },
      shortLived: sorted.reduce(0) { $0 + $1.shortLived }, byName: sorted)
  }
}
