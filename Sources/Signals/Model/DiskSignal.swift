/// What the process handed to regular files.
public struct DiskSignal: Sendable, Hashable, Codable {
  /// Number of writes.
  public var writes: Int
  /// Bytes written.
  public var bytesWritten: UInt64
  /// Writes of less than 4 KiB.
  public var smallWrites: Int
  /// Where most of the small writes were made, innermost frame first; empty where no stack was taken.
  public var smallWriteStack: [StackFrame]
  /// fsync, fdatasync, sync_file_range, msync and O_SYNC writes.
  public var syncs: Int
  /// Time threads stalled in syncs.
  public var syncSeconds: Double
  /// Writes per minute of the recording.
  public var writesPerMinute: Double
  /// Groups of writes less than 1 s apart.
  public var writeBursts: Int
  /// Bytes that reached the block device, where known.
  public var deviceBytesWritten: UInt64?
  /// Files written, most bytes first.
  public var files: [FileUse]
  /// Bytes written again to files truncated or replaced.
  public var rewrittenBytes: UInt64
  /// Median of the bytes written in tenths of the recording, per second; zero for one-off writes.
  public var steadyBytesPerSecond: Double?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    writes: Int = 0,
    bytesWritten: UInt64 = 0,
    smallWrites: Int = 0,
    smallWriteStack: [StackFrame] = [],
    syncs: Int = 0,
    syncSeconds: Double = 0,
    writesPerMinute: Double = 0,
    writeBursts: Int = 0,
    deviceBytesWritten: UInt64? = nil,
    files: [FileUse] = [],
    rewrittenBytes: UInt64 = 0,
    steadyBytesPerSecond: Double? = nil
  ) {
    self.writes = writes
    self.bytesWritten = bytesWritten
    self.smallWrites = smallWrites
    self.smallWriteStack = smallWriteStack
    self.syncs = syncs
    self.syncSeconds = syncSeconds
    self.writesPerMinute = writesPerMinute
    self.writeBursts = writeBursts
    self.deviceBytesWritten = deviceBytesWritten
    self.files = files
    self.rewrittenBytes = rewrittenBytes
    self.steadyBytesPerSecond = steadyBytesPerSecond
  }
}

/// What was written to one file.
public struct FileUse: Sendable, Hashable, Codable {
  /// Path, or what is known of the descriptor.
  public var path: String
  /// Number of writes.
  public var writes: Int
  /// Bytes written.
  public var bytesWritten: UInt64
  /// Number of syncs.
  public var syncs: Int
  /// Times it was truncated or replaced and written again.
  public var rewrites: Int
  /// Bytes of those rewrites.
  public var rewrittenBytes: UInt64
  /// Writes of less than 4 KiB.
  public var smallWrites: Int

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    path: String,
    writes: Int = 0,
    bytesWritten: UInt64 = 0,
    syncs: Int = 0,
    rewrites: Int = 0,
    rewrittenBytes: UInt64 = 0,
    smallWrites: Int = 0
  ) {
    self.path = path
    self.writes = writes
    self.bytesWritten = bytesWritten
    self.syncs = syncs
    self.rewrites = rewrites
    self.rewrittenBytes = rewrittenBytes
    self.smallWrites = smallWrites
  }
}
