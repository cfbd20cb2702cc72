/// What stopped, or cannot start, a recording.
package struct RecordingError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The sort of failure, from which the command line takes its exit status.
  package enum Kind: String, Sendable {
    case permission, noSuchProcess, kernelThread, commandNotFound, commandNotExecutable
    case io, unsupported, usage
  }

  /// The sort of failure.
  package var kind: Kind

  /// What happened, to which file or process, and what to do next.
  package var message: String

  /// The kernel's error number, when there is one.
  package var errno: Int32?

  /// Describes a failure.
  package init(kind: Kind, message: String, errno: Int32? = nil) {
    self.kind = kind
    self.message = message
    self.errno = errno
  }

  /// The message, as it is shown to the user.
  package var description: String { message }
}
