/// Traffic of the process on internet sockets.
public struct NetworkSection: Codable, Sendable, Equatable {
  public var sends: Int
  public var receives: Int
  public var bytesSent: UInt64
  public var bytesReceived: UInt64
  public var loopbackIncluded: Bool
  public var connections: [ConnectionSection]
  public var bursts: [BurstSection]
  public var radio: RadioSection
  /// Bytes of headers and acknowledgements, and whether they are modelled or captured.
  @Nullable public var overheadSent: UInt64?
  @Nullable public var overheadReceived: UInt64?
  @Nullable public var overheadHow: String?
  /// The capture that packets were read from; nil where all is modelled.
  @Nullable public var captured: CapturedSection? = nil
  /// The same traffic with another schedule, and what that would save.
  @Elements public var replays: [RadioReplaySection] = []
  @Elements public var listeners: [ListenerSection] = []
  @Elements public var failures: [NetworkFailureSection] = []
}

/// A capture that was read beside the trace, or instead of one.
public struct CapturedSection: Codable, Sendable, Equatable {
  public var path: String
  /// Packets in the file, those of the process, those of others, and those that repeat what was sent.
  public var packets: Int
  public var matchedPackets: Int
  public var otherPackets: Int
  public var retransmissions: Int
  public var connections: Int
  /// How much the capture's clock was ahead of the trace's.
  @Nullable public var clockOffsetSeconds: Double?
  public var notes: [String]
}

/// The traffic replayed with a change.
public struct RadioReplaySection: Codable, Sendable, Equatable {
  /// "coalesced" or "withoutPolls".
  public var id: String
  /// What was changed, in words.
  public var change: String
  public var bursts: Int
  public var energyJoules: Double
  public var savedJoules: Double
  /// Sends that were delayed, and the most that one was.
  public var movedSends: Int
  public var delaySeconds: Double
}

/// A socket that waits for connections.
public struct ListenerSection: Codable, Sendable, Equatable {
  public var local: String
  @Nullable public var opened: Double?
  @Nullable public var closed: Double?
}

/// A connection or send that did not succeed.
public struct NetworkFailureSection: Codable, Sendable, Equatable {
  public var time: Double
  public var remote: String
  /// connect or send.
  public var kind: String
}

/// The same traffic on another radio.
public struct RadioAlternativeSection: Codable, Sendable, Equatable {
  public var profile: String
  public var energyJoules: Double
  public var tailEnergyJoules: Double
  public var dutyCycle: Double
}

/// One connection, or one datagram socket's traffic with a peer.
public struct ConnectionSection: Codable, Sendable, Equatable {
  public var `protocol`: String
  public var local: String
  public var remote: String
  @Nullable public var opened: Double?
  @Nullable public var closed: Double?
  public var bytesSent: UInt64
  public var bytesReceived: UInt64
}

/// Transfers close to one another.
public struct BurstSection: Codable, Sendable, Equatable {
  public var start: Double
  public var durationSeconds: Double
  public var bytesSent: UInt64
  public var bytesReceived: UInt64
  public var `class`: String
  public var remotes: [String]
  public var energyJoules: Double
  public var tailEnergyJoules: Double
  public var stack: [ReportFrame]
}

/// What the traffic would ask of a phone's radio.
public struct RadioSection: Codable, Sendable, Equatable {
  public var profile: String
  public var stateSeconds: [String: Double]
  public var energyJoules: Double
  public var tailEnergyJoules: Double
  public var dutyCycle: Double
  /// How long after the end of the recording the radio stays on, and what of the energy is spent then; reports of before lack it.
  public var secondsAfterEnd: Double?
  public var joulesAfterEnd: Double?
  /// The same traffic on each of the other profiles.
  @Elements public var alternatives: [RadioAlternativeSection] = []
}

/// What the process wrote to regular files.
public struct DiskSection: Codable, Sendable, Equatable {
  public var writes: Int
  public var bytesWritten: UInt64
  public var smallWrites: Int
  /// Where most of the small writes were made; empty where no stack was taken.
  public var smallWriteStack: [ReportFrame]
  public var syncs: Int
  public var syncSeconds: Double
  public var writesPerMinute: Double
  public var writeBursts: Int
  public var rewrittenBytes: UInt64
  @Nullable public var deviceBytesWritten: UInt64?
  public var files: [FileSection]
}

/// What was written to one path.
public struct FileSection: Codable, Sendable, Equatable {
  public var path: String
  public var writes: Int
  public var bytesWritten: UInt64
  public var syncs: Int
  public var rewrites: Int
  public var rewrittenBytes: UInt64
  /// Rewrites whose content was compared with the one before, those that changed nothing, and the bytes of the blocks
  /// of 4 KiB that changed of those that were compared.
  @Nullable public var comparedRewrites: Int? = nil
  @Nullable public var equalRewrites: Int? = nil
  @Nullable public var comparedBytes: UInt64? = nil
  @Nullable public var changedBytes: UInt64? = nil
}

/// How much memory the process took.
public struct MemorySection: Codable, Sendable, Equatable {
  public var peakFootprintBytes: UInt64
  public var endFootprintBytes: UInt64
  public var peakResidentBytes: UInt64
  @Nullable public var growthBytesPerMinute: Double?
  /// The 95 % interval of the growth.
  @Nullable public var growthInterval: [Double]?
  public var majorFaults: UInt64
  public var minorFaults: UInt64
  public var samples: [MemorySampleSection]
}

/// The memory at one moment.
public struct MemorySampleSection: Codable, Sendable, Equatable {
  public var time: Double
  public var footprintBytes: UInt64
  public var residentBytes: UInt64
}
