import TraceModel

/// The files that a program's standard output and errors go to because its caller put them there.
enum GivenStreams {
  /// Their paths: not those that it opened itself, or has open as something else too.
  ///
  /// Of a program that ran before it was attached to nobody knows who did: nothing is held against it by them.
  static func paths(_ subject: SubjectView) -> Set<String> {
    guard !subject.trace.startsLate || subject.trace.capture?.mode == .attach else { return [] }
    var given: Set<String> = []
    var others: Set<String> = []
    // A shell opens them elsewhere before it becomes the program.
    for file in subject.trace.openFiles
    where file.pid == subject.pid && file.end.map({ $0 >= subject.start }) ?? true {
      guard let path = file.path else { continue }
      if (1...2).contains(file.descriptor) { given.insert(path) } else { others.insert(path) }
    }
    guard !given.isEmpty else { return [] }
    for operation in subject.trace.fileOperations.matching({ $0.pid == subject.pid })
    where operation.time >= subject.start {
      if case .open = operation.kind, let path = operation.path { others.insert(path) }
    }
    return given.subtracting(others)
  }
}
