import Quantities
import TraceModel

/// Follows files under temporary directories to the end of the process.
enum TemporaryFileMeasure {
  /// Nil where the end of the process was not recorded: what it leaves is known only then.
  static func measure(_ subject: SubjectView) -> TemporaryFiles? {
    guard let end = subject.trace.subject.end, end <= subject.trace.end else { return nil }
    var present: [String: UInt64] = [:]
    var made: Set<String> = []
    for operation in subject.trace.fileOperations.matching({
      $0.pid == subject.pid && ($0.target == .regular || $0.target == .tmpfs)
    }) {
      guard let path = operation.path else { continue }
      switch operation.kind {
      case .write where isTemporary(path):
        present[path, default: 0] &+= operation.bytes &* operation.weight
        made.insert(path)
      case .unlink: present[path] = nil
      case .rename(let from):
        guard let bytes = present.removeValue(forKey: from) else { continue }
        // Moved to where it belongs it is no temporary file.
        if isTemporary(path) { present[path] = bytes }
      default: break
      }
    }
    return TemporaryFiles(
      made: made.count,
      left: present.map { TemporaryFiles.File(path: $0.key, bytes: $0.value) }
        .sorted { ($1.bytes, $0.path) < ($0.bytes, $1.path) })
  }

  /// Whether a path lies under a directory for temporary files, on Linux or in a home of Foundation's.
  static func isTemporary(_ path: String) -> Bool {
    path.hasPrefix("/tmp/") || path.hasPrefix("/var/tmp/") || path.hasPrefix("/dev/shm/")
      || path.split(separator: "/").dropLast().contains("tmp")
  }
}
