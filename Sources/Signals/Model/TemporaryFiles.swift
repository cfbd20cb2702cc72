/// Files that were written under temporary directories, and what became of them.
package struct TemporaryFiles: Sendable, Equatable {
  /// A file that was left.
  package struct File: Sendable, Equatable {
    package var path: String
    package var bytes: UInt64

    /// Makes the value from its parts.
    package init(path: String, bytes: UInt64) {
      self.path = path
      self.bytes = bytes
    }
  }

  /// How many were written.
  package var made: Int
  /// Those that the process had neither removed nor moved away as it ended, most bytes first.
  package var left: [File]

  /// Makes the value from its parts; what is left out is zero or empty.
  package init(made: Int = 0, left: [File] = []) {
    self.made = made
    self.left = left
  }

  /// Whether a path lies under a directory for temporary files, on Linux or in a home of Foundation's.
  package static func isTemporary(_ path: String) -> Bool {
    path.hasPrefix("/tmp/") || path.hasPrefix("/var/tmp/") || path.hasPrefix("/dev/shm/")
      || path.split(separator: "/").dropLast().contains("tmp")
  }
}
