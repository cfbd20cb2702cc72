/// Bytes estimated from some of the writes, each of which stands for several.
package struct SampledBytes: Sendable, Equatable {
  /// What they come to, in bytes.
  package private(set) var total = 0.0
  /// The sum of the squares of what each that was recorded stands for, in square bytes.
  package private(set) var squares = 0.0
  /// The most that one of them stands for, in bytes.
  package private(set) var largest = 0.0

  package init() {}

  /// Adds a write that was recorded, with all that it stands for.
  package mutating func add(_ bytes: Double) {
    total += bytes
    squares += bytes * bytes
    largest = max(largest, bytes)
  }
}

/// What the process handed to regular files.
package struct DiskSignal: Sendable, Equatable {
  /// Number of writes.
  package var writes: Int
  /// Bytes written.
  package var bytesWritten: UInt64
  /// Writes of less than 4 KiB.
  package var smallWrites: Int
  /// Where most of the small writes were made, innermost frame first; empty where no stack was taken.
  package var smallWriteStack: [StackFrame]
  /// fsync, fdatasync, sync_file_range, msync and O_SYNC writes.
  package var syncs: Int
  /// How many of the small writes and the syncs were recorded each, where the recorder took some only; nil where all
  /// were.
  package var smallWritesRecorded: Int?
  package var syncsRecorded: Int?
  /// The part of `bytesWritten` of which some writes only were recorded; nil where all were.
  package var sampledBytes: SampledBytes?
  /// Why what is told is a part only; nil where it is all.
  package var missing: String?
  /// Time threads stalled in syncs, but for those of which it is not known.
  package var syncSeconds: Double
  /// Syncs whose beginnings were not recorded.
  package var syncsUntimed = 0
  /// Writes per minute of the recording.
  package var writesPerMinute: Double
  /// Groups of writes less than 1 s apart.
  package var writeBursts: Int
  /// What was asked of the disk.
  package var work = DiskWork()
  /// Bytes that reached the block device, where known.
  package var deviceBytesWritten: UInt64?
  /// Files written, most bytes first.
  package var files: [FileUse]
  /// Bytes written again to files truncated or replaced.
  package var rewrittenBytes: UInt64
  /// Median of the bytes written in tenths of the recording, per second; zero for one-off writes.
  package var steadyBytesPerSecond: Double?
  /// Whether large reads were recorded.
  package var readsMeasured: Bool
  /// Whether small ones of files were too.
  package var smallReadsMeasured = false
  /// Read calls and the bytes they brought of files, pipes and terminals, by /proc; what sockets gave is left out. Nil
  /// where /proc did not tell.
  package var reads: Int?
  package var bytesRead: UInt64?
  /// Whether these are the least that there was: /proc counts what ended children read too, and what sockets gave by
  /// `read` and not by `recv`.
  package var readsAreLeast = false
  /// What was read of pipes and terminals, and in pieces so small that of which file each was is not told; nil where
  /// that is what any program reads as it starts, or less, and where reads were not measured.
  package var otherReads: OtherReads?
  /// Files of which much was read in one go, most first.
  package var loads: [FileLoad] = []

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
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
    steadyBytesPerSecond: Double? = nil,
    readsMeasured: Bool = false
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
    self.readsMeasured = readsMeasured
  }
}

/// Reads of files that are known in sum alone.
package struct OtherReads: Sendable, Equatable {
  /// Files that were opened for reading and of which no read is known; none where reads of files are known.
  package var files: Int
  /// Read calls and the bytes that they brought, those of pipes and terminals among them.
  package var reads: Int
  package var bytes: UInt64

  package init(files: Int, reads: Int, bytes: UInt64) {
    (self.files, self.reads, self.bytes) = (files, reads, bytes)
  }
}

/// What was written to one file.
package struct FileUse: Sendable, Equatable {
  /// Path, or what is known of the descriptor.
  package var path: String
  /// Number of writes.
  package var writes: Int
  /// Bytes written.
  package var bytesWritten: UInt64
  /// Number of syncs.
  package var syncs: Int
  /// Times it was truncated or replaced and written again.
  package var rewrites: Int
  /// Bytes of those rewrites.
  package var rewrittenBytes: UInt64
  /// Writes of less than 4 KiB.
  package var smallWrites: Int
  /// Reads: all, or those of 64 KiB and more and smaller ones where it is known that they were of this file.
  package var reads: Int
  /// Bytes of those reads.
  package var bytesRead: UInt64
  /// Small writes elsewhere than behind the last one.
  package var scatteredWrites: Int
  /// End of the farthest write with a known offset.
  package var extentBytes: UInt64
  /// Rewrites whose content was that of the version before.
  package var equalRewrites: Int
  /// Rewrites whose content was read and compared.
  package var comparedRewrites: Int
  /// Bytes of the blocks of 4 KiB that differ from the version before, over the compared rewrites.
  package var changedBytes: UInt64?
  /// Bytes of the rewrites that were compared.
  package var comparedBytes: UInt64
  /// What was asked of the disk for it.
  package var work = DiskWork()
  /// Writes that are left when those of one burst that continue each other are joined up to 64 KiB.
  package var joinedWrites: Int?
  /// Of the bytes written, those of the program's quitting: after it was told to end, or in its last second where it
  /// ended by itself after ten or more.
  package var quittingBytes: UInt64 = 0
  /// It is the program's standard output or errors, which its caller put there.
  package var isGiven = false

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    path: String,
    writes: Int = 0,
    bytesWritten: UInt64 = 0,
    syncs: Int = 0,
    rewrites: Int = 0,
    rewrittenBytes: UInt64 = 0,
    smallWrites: Int = 0,
    reads: Int = 0,
    bytesRead: UInt64 = 0,
    scatteredWrites: Int = 0,
    extentBytes: UInt64 = 0,
    equalRewrites: Int = 0,
    comparedRewrites: Int = 0,
    changedBytes: UInt64? = nil,
    comparedBytes: UInt64 = 0,
    joinedWrites: Int? = nil
  ) {
    self.path = path
    self.writes = writes
    self.bytesWritten = bytesWritten
    self.syncs = syncs
    self.rewrites = rewrites
    self.rewrittenBytes = rewrittenBytes
    self.smallWrites = smallWrites
    self.reads = reads
    self.bytesRead = bytesRead
    self.scatteredWrites = scatteredWrites
    self.extentBytes = extentBytes
    self.equalRewrites = equalRewrites
    self.comparedRewrites = comparedRewrites
    self.changedBytes = changedBytes
    self.comparedBytes = comparedBytes
    self.joinedWrites = joinedWrites
  }
}
