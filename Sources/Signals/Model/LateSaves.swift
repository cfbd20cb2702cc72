/// What was first written in the last moment: as the program was moved to the background or told to end.
package struct LateSaves: Sendable, Equatable {
  /// Bytes written up to the end of the last moment.
  package var bytes: UInt64
  /// Of these, written in a last moment to files that nothing had been written to before.
  package var lateBytes: UInt64
  /// In how many files the bytes are.
  package var files: Int
  /// The files that were first written late, most bytes first.
  package var lateFiles: [File]

  /// A file that was first written late.
  package struct File: Sendable, Equatable {
    package var path: String
    package var bytes: UInt64

    /// Makes the value from its parts.
    package init(path: String, bytes: UInt64) {
      self.path = path
      self.bytes = bytes
    }
  }

  /// Makes the value from its parts; what is left out is zero or empty.
  package init(bytes: UInt64 = 0, lateBytes: UInt64 = 0, files: Int = 0, lateFiles: [File] = []) {
    self.bytes = bytes
    self.lateBytes = lateBytes
    self.files = files
    self.lateFiles = lateFiles
  }
}
