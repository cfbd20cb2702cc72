import Quantities

/// The record types of perf.data (PERF_RECORD_*).
public enum RecordType {
  /// A mapping of executable memory, older form.
  public static let mmap: UInt32 = 1
  /// Events lost in a ring buffer.
  public static let lost: UInt32 = 2
  /// A thread's new name.
  public static let comm: UInt32 = 3
  /// A thread ended.
  public static let exit: UInt32 = 4
  /// Sampling paused because it was too frequent.
  public static let throttle: UInt32 = 5
  /// Sampling went on.
  public static let unthrottle: UInt32 = 6
  /// A thread began.
  public static let fork: UInt32 = 7
  /// A counter's value.
  public static let read: UInt32 = 8
  /// A sample.
  public static let sample: UInt32 = 9
  /// A mapping with device and inode, or build id.
  public static let mmap2: UInt32 = 10
  /// Samples lost by an event.
  public static let lostSamples: UInt32 = 13
  /// A thread got or left a CPU; of a task's event.
  public static let contextSwitch: UInt32 = 14
  /// A thread got or left a CPU; of a CPU's event.
  public static let contextSwitchCPUWide: UInt32 = 15
  /// The last record type that the kernel makes, of those known (CALLCHAIN_DEFERRED, 6.19).
  public static let lastKernel: UInt32 = 22
  /// The first record type that perf itself makes.
  public static let firstUser: UInt32 = 64
  /// The last record type that perf itself makes, of those known (COMPRESSED2, 6.16).
  public static let lastUser: UInt32 = 83
  /// Pipe mode's event attribute.
  public static let attribute: UInt32 = 64
  /// Pipe mode's name of an event.
  public static let eventUpdate: UInt32 = 78
  /// Pipe mode's tracing data, whose payload follows the record.
  public static let tracingData: UInt32 = 66
  /// A build id.
  public static let buildID: UInt32 = 67
  /// All records before the last but one of these are complete.
  public static let finishedRound: UInt32 = 68
  /// Trace hardware's data, whose payload follows the record.
  public static let auxtrace: UInt32 = 71
  /// A feature section carried as a record.
  public static let headerFeature: UInt32 = 80
  /// zstd-compressed records.
  public static let compressed: UInt32 = 81
  /// zstd-compressed records with their size.
  public static let compressed2: UInt32 = 83
}

/// One record, minimally decoded.
public struct RecordEntry: Sendable, Hashable {
  /// Offset of the header in the file.
  public var offset: Int
  /// Nanoseconds on the trace's clock; 0 where the record has no time.
  public var time: UInt64 = 0
  /// PERF_RECORD_*.
  public var type: UInt32
  /// Bytes, the header's 8 included.
  public var size: UInt32
  /// The process; -1 where the record does not say.
  public var pid: Int32 = -1
  /// The thread; -1 where the record does not say.
  public var tid: Int32 = -1
  /// The CPU; -1 where the record does not say.
  public var cpu: Int32 = -1
  /// Index into the file's attributes; -1 where it is unknown.
  public var attribute: Int32 = -1
  /// PERF_RECORD_MISC_* bits.
  public var misc: UInt16

  /// The time as a point on the trace's clock.
  public var timestamp: Timestamp { Timestamp(nanoseconds: time) }
}

/// A mapping of a file (or of anonymous memory) into a process: MMAP and MMAP2.
public struct MmapRecord: Sendable, Hashable {
  /// The process; -1 for the kernel.
  public var pid: Int32
  /// The thread that made the mapping.
  public var tid: Int32
  /// First address.
  public var start: UInt64
  /// Bytes.
  public var length: UInt64
  /// Offset in the file of the first byte.
  public var fileOffset: UInt64
  /// PROT_* bits; of the older MMAP record, read and execute.
  public var protection: UInt32
  /// MAP_* bits.
  public var flags: UInt32
  /// The file's path, or a name such as `[heap]` or `//anon`.
  public var path: String
  /// The file's build id where the kernel gave it.
  public var buildID: [UInt8]?
  /// The file's inode number where that was told instead.
  public var inode: UInt64?

  /// Makes a mapping.
  public init(
    pid: Int32, tid: Int32, start: UInt64, length: UInt64, fileOffset: UInt64,
    protection: UInt32 = 5, flags: UInt32 = 2, path: String, buildID: [UInt8]? = nil,
    inode: UInt64? = nil
  ) {
    self.pid = pid
    self.tid = tid
    self.start = start
    self.length = length
    self.fileOffset = fileOffset
    self.protection = protection
    self.flags = flags
    self.path = path
    self.buildID = buildID
    self.inode = inode
  }
}
