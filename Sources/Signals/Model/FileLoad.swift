/// Much of a file that was read in one go, in calls of any size with short pauses between.
package struct FileLoad: Sendable, Equatable {
  /// The file; nil where small reads brought the bytes and it is not known of which file.
  package var path: String?
  /// Seconds from the start of the trace; of small reads good to the distance of two readings of /proc.
  package var start: Double
  /// First to last read.
  package var durationSeconds: Double
  /// What was read.
  package var bytes: UInt64
  /// In how many calls.
  package var reads: Int
  /// By how much the footprint rose meanwhile, at its highest; nil where it was not read.
  package var heldBytes: UInt64?

  /// Makes the value from its parts; what is left out is zero or unknown.
  package init(
    path: String? = nil, start: Double = 0, durationSeconds: Double = 0, bytes: UInt64 = 0,
    reads: Int = 0, heldBytes: UInt64? = nil
  ) {
    self.path = path
    self.start = start
    self.durationSeconds = durationSeconds
    self.bytes = bytes
    self.reads = reads
    self.heldBytes = heldBytes
  }
}
