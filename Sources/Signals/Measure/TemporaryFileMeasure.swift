import Quantities
import TraceModel

/// Follows files under temporary directories to the end of the process.
enum TemporaryFileMeasure {
  /// Nil where the end of the process was not recorded: what it leaves is known only then.
  static func measure(_ subject: SubjectView) -> TemporaryFiles? {
    guard let end = subject.trace.subject.end, end <= subject.trace.end else { return nil }
    let asked = askedFor(subject)
    let given = GivenStreams.paths(subject)
    func counts(_ path: String) -> Bool {
      TemporaryFiles.isTemporary(path) && !given.contains(path)
        && !asked.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
    var present: [String: UInt64] = [:]
    /// A file may be removed by a path that begins at a folder which the recording does not tell.
    func remove(_ path: String) -> UInt64? {
      let known = path.hasPrefix("/") ? path : present.keys.first { $0.hasSuffix("/" + path) }
      return known.flatMap { present.removeValue(forKey: $0) }
    }
    var made: Set<String> = []
    // What is written to after its name is gone goes with its last descriptor, unless the name is given anew.
    var removed: Set<String> = []
    for operation in subject.trace.fileOperations.matching({
      $0.pid == subject.pid && ($0.target == .regular || $0.target == .tmpfs)
    }) {
      guard let path = operation.path else { continue }
      switch operation.kind {
      case .write where counts(path):
        made.insert(path)
        if !removed.contains(path), !isNameless(path) {
          present[path, default: 0] &+= operation.bytes &* operation.weight
        }
      case .open: removed.remove(path)
      case .unlink:
        _ = remove(path)
        removed.insert(path)
      case .rename(let from):
        removed.remove(path)
        guard let bytes = remove(from) else { continue }
        // Moved to where it belongs it is no temporary file.
        if counts(path) { present[path] = bytes }
      default: break
      }
    }
    return TemporaryFiles(
      made: made.count,
      left: present.map { TemporaryFiles.File(path: $0.key, bytes: $0.value) }
        .sorted { ($1.bytes, $0.path) < ($0.bytes, $1.path) })
  }

  /// Whether a file was opened without a name (O_TMPFILE), so that it goes with its last descriptor: the kernel
  /// names it by its inode, "/tmp/#1234", and one that was not looked at has no number.
  private static func isNameless(_ path: String) -> Bool {
    guard let name = path.split(separator: "/").last, name.first == "#" else { return false }
    return name.dropFirst().allSatisfy(\.isNumber)
  }

  /// The files and folders in temporary directories that the command line names: what is written there is what the
  /// program was asked for.
  private static func askedFor(_ subject: SubjectView) -> [String] {
    let words = subject.trace.subject.commandLine + (subject.trace.capture?.commandLine ?? [])
    return words.map { word in
      let path = word.drop { $0 != "/" }
      return String(path.hasSuffix("/") ? path.dropLast() : path)
    }.filter { TemporaryFiles.isTemporary($0) }
  }
}
