import Quantities
import TraceModel

/// Finds what was first written as the program was moved to the background or told to end.
enum LateSaveMeasure {
  /// How long a last moment is: what the guide gives for it.
  private static let moment = TimeSpan(seconds: 5)

  private struct File {
    var bytes: UInt64 = 0
    var lateBytes: UInt64 = 0
    var isLate: Bool
  }

  static func measure(_ subject: SubjectView, phases: [Phase]) -> LateSaves? {
    let moments = phases.filter {
      ($0.name == .background && !$0.isStopped) || $0.name == .terminating
    }.map { phase -> ClosedRange<Timestamp> in
      let start = subject.trace.start + TimeSpan(seconds: phase.start)
      return start...(start + min(moment, TimeSpan(seconds: phase.durationSeconds)))
    }
    guard let last = moments.map(\.upperBound).max() else { return nil }
    var files: [String: File] = [:]
    for operation in subject.trace.fileOperations.onDisk(by: subject.pid)
    where operation.time <= last {
      guard let path = operation.path else { continue }
      switch operation.kind {
      case .write:
        let isLate = moments.contains { $0.contains(operation.time) }
        let bytes = operation.bytes &* operation.weight
        var file = files[path] ?? File(isLate: isLate)
        file.bytes &+= bytes
        if isLate, file.isLate { file.lateBytes &+= bytes }
        files[path] = file
      case .rename(let from):
        // What replaces a file that was saved before is a change to it.
        guard var moved = files.removeValue(forKey: from) else { continue }
        if let old = files[path] {
          moved.bytes &+= old.bytes
          if !old.isLate { (moved.isLate, moved.lateBytes) = (false, old.lateBytes) }
        }
        files[path] = moved
      default: break
      }
    }
    let all = files.values.reduce(0) { $0 &+ $1.bytes }
    guard all > 0 else { return nil }
    let late = files.filter { $0.value.lateBytes > 0 }
    return LateSaves(
      bytes: all, lateBytes: late.values.reduce(0) { $0 &+ $1.lateBytes }, files: files.count,
      lateFiles: late.map { LateSaves.File(path: $0.key, bytes: $0.value.lateBytes) }
        .sorted { ($1.bytes, $0.path) < ($0.bytes, $1.path) }.prefix(5).map { $0 })
  }
}
