/// What is recorded.
enum RecordingSubject {
  case command(WrappedCommand)
  case process(AttachedProcess)

  var pid: Int32 {
    switch self {
    case .command(let command): command.pid
    case .process(let process): process.pid
    }
  }

  /// Becomes readable when it ends; -1 where the kernel has no pidfd.
  var pidfd: Int32 {
    switch self {
    case .command(let command): command.pidfd
    case .process(let process): process.pidfd
    }
  }

  /// The files in which its functions are, as far as that is known before it runs; others are seen as they are mapped.
  func files(_ target: RecordingOptions.Target) -> Set<String> {
    switch (self, target) {
    case (.process(let process), _): Set(ProcessProbe.mappedPaths(pid: process.pid))
    case (.command, .command(let words)):
      Set([words.first.flatMap(ProgramFile.path)].compactMap { $0 })
    case (.command, .pid): []
    }
  }
}

/// What ended a recording.
enum RecordingEnding {
  case targetEnded(WrappedCommand.End?)
  case duration
  case interrupted
  case terminated(Int32)
}
