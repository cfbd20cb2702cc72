/// What a thread did to files, in calls and bytes, however fast it was.
package struct FileAccess: Sendable, Equatable {
  /// One file's part of it.
  package struct File: Sendable, Equatable {
    /// Path, or what is known of the descriptor.
    package var path: String
    /// Opens, reads, writes, syncs, truncations, renames and removals.
    package var calls: Int
    /// Bytes read and written.
    package var bytes: UInt64

    /// Makes the value from its parts.
    package init(path: String, calls: Int, bytes: UInt64) {
      self.path = path
      self.calls = calls
      self.bytes = bytes
    }
  }

  /// Opens, reads, writes, syncs, truncations, renames and removals. Where the recording has no small reads of files,
  /// those that load a large one are known.
  package var calls: Int
  /// Bytes read and written.
  package var bytes: UInt64
  /// The files with most bytes, most first.
  package var files: [File]

  /// Makes the value from its parts; what is left out is zero or empty.
  package init(calls: Int = 0, bytes: UInt64 = 0, files: [File] = []) {
    self.calls = calls
    self.bytes = bytes
    self.files = files
  }
}
