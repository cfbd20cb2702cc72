import Quantities

/// Traffic of the process on internet sockets.
package struct NetworkSection: Codable, Sendable, Equatable {
  /// How many calls it were; nil where sockets' counts alone are known.
  @Nullable package var sends: Int?
  @Nullable package var receives: Int?
  package var bytesSent: UInt64
  package var bytesReceived: UInt64
  /// What there may have been besides: the figures are the least that there was. Nil where all of it was recorded.
  package var missing: String?
  /// What went over sockets of which the other end is not known; nil where all are.
  package var peersNotKnown: PeersNotKnownSection?
  package var loopbackIncluded: Bool
  package var connections: [ConnectionSection]
  package var bursts: [BurstSection]
  package var radio: RadioSection
  /// Bytes of headers and acknowledgements, and whether they are modelled or captured.
  @Nullable package var overheadSent: UInt64?
  @Nullable package var overheadReceived: UInt64?
  @Nullable package var overheadHow: String?
  /// The capture that packets were read from; nil where all is modelled.
  @Nullable package var captured: CapturedSection? = nil
  /// The same traffic with another schedule, and what that would save.
  @Elements package var replays: [RadioReplaySection] = []
  @Elements package var listeners: [ListenerSection] = []
  @Elements package var failures: [NetworkFailureSection] = []
}

/// Traffic that may have left the machine or not: the bursts and the radio are without it, and no rule fails by it.
package struct PeersNotKnownSection: Codable, Sendable, Equatable {
  package var sockets: Int
  package var bytesSent: UInt64
  package var bytesReceived: UInt64

  /// For people.
  var text: String {
    "\(Figures.bytes(bytesSent)) sent and \(Figures.bytes(bytesReceived)) received at "
      + "\(Figures.count(sockets, "socket")): whether they left the machine is not known, and the radio's figures "
      + "leave them out"
  }
}

/// A capture that was read beside the trace, or instead of one.
package struct CapturedSection: Codable, Sendable, Equatable {
  package var path: String
  /// Packets in the file, those of the process, those of others, and those that repeat what was sent.
  package var packets: Int
  package var matchedPackets: Int
  package var otherPackets: Int
  package var retransmissions: Int
  package var connections: Int
  /// How much the capture's clock was ahead of the trace's.
  @Nullable package var clockOffsetSeconds: Double?
  package var notes: [String]
}

/// The traffic replayed with a change.
package struct RadioReplaySection: Codable, Sendable, Equatable {
  /// "coalesced" or "withoutPolls".
  package var id: String
  /// What was changed, in words.
  package var change: String
  package var bursts: Int
  package var energyJoules: Double
  package var savedJoules: Double
  /// Sends that were delayed, and the most that one was.
  package var movedSends: Int
  package var delaySeconds: Double
}

/// A socket that waits for connections.
package struct ListenerSection: Codable, Sendable, Equatable {
  package var local: String
  @Nullable package var opened: Double?
  @Nullable package var closed: Double?
}

/// A connection or send that did not succeed.
package struct NetworkFailureSection: Codable, Sendable, Equatable {
  package var time: Double
  package var remote: String
  /// connect or send.
  package var kind: String
  /// How many sends in a row it stands for; nil for one.
  package var count: Int?
}

/// The same traffic on another radio.
package struct RadioAlternativeSection: Codable, Sendable, Equatable {
  package var profile: String
  package var energyJoules: Double
  package var tailEnergyJoules: Double
  package var dutyCycle: Double
}

/// One connection, or one datagram socket's traffic with a peer.
package struct ConnectionSection: Codable, Sendable, Equatable {
  package var `protocol`: String
  package var local: String
  package var remote: String
  @Nullable package var opened: Double?
  @Nullable package var closed: Double?
  package var bytesSent: UInt64
  package var bytesReceived: UInt64
}

/// Transfers close to one another.
package struct BurstSection: Codable, Sendable, Equatable {
  package var start: Double
  package var durationSeconds: Double
  package var bytesSent: UInt64
  package var bytesReceived: UInt64
  package var `class`: String
  package var remotes: [String]
  package var energyJoules: Double
  package var tailEnergyJoules: Double
  package var stack: [ReportFrame]
}

/// What the traffic would ask of a phone's radio.
package struct RadioSection: Codable, Sendable, Equatable {
  package var profile: String
  package var stateSeconds: [String: Double]
  package var energyJoules: Double
  package var tailEnergyJoules: Double
  package var dutyCycle: Double
  /// How long after the end of the recording the radio stays on, and what of the energy is spent then; reports of
  /// before lack it.
  package var secondsAfterEnd: Double?
  package var joulesAfterEnd: Double?
  /// The same traffic on each of the other profiles.
  @Elements package var alternatives: [RadioAlternativeSection] = []
}

/// What the process wrote to regular files.
package struct DiskSection: Codable, Sendable, Equatable {
  package var writes: Int
  package var bytesWritten: UInt64
  package var smallWrites: Int
  /// Where most of the small writes were made; empty where no stack was taken.
  package var smallWriteStack: [ReportFrame]
  package var syncs: Int
  package var syncSeconds: Double
  /// Syncs of which nothing told how long they took; left out where there are none.
  package var syncsUntimed: Int? = nil
  package var writesPerMinute: Double
  package var writeBursts: Int
  package var rewrittenBytes: UInt64
  @Nullable package var deviceBytesWritten: UInt64?
  /// All that were written to, and of those that were only read the ones of which most was.
  package var files: [FileSection]
  /// Whether all reads of files are known, small ones too; left out where they are not.
  package var smallReadsMeasured: Bool? = nil
  /// Read calls and their bytes, of sockets left out; null where /proc did not tell.
  @Nullable package var reads: Int? = nil
  @Nullable package var bytesRead: UInt64? = nil
  /// True where these are the least that there was; left out else.
  package var readsAreLeast: Bool? = nil
  /// True where one recorded write stands for many, so that counts and bytes of writes are estimates; left out else.
  package var writesAreSampled: Bool? = nil
  /// Why what is told is a part only; left out where it is all.
  package var missing: String? = nil
  /// What was read of pipes, terminals and files that are not listed, or in pieces so small that of which file each was
  /// is not told; left out where that is little, and where reads were not measured.
  package var otherReads: OtherReadsSection? = nil
}

/// Reads that are told in sum alone.
package struct OtherReadsSection: Codable, Sendable, Equatable {
  /// Files that are not listed: that were read, where small reads are known, else that were opened for reading.
  package var files: Int
  /// Read calls and their bytes, those of pipes and terminals among them.
  package var reads: Int
  package var bytes: UInt64

  /// What they were of, where reads of files are known.
  package static let noFiles =
    "pipes, terminals, files of /proc and in memory, ends of files and the C library's own"
}

/// What was written to one path.
package struct FileSection: Codable, Sendable, Equatable {
  package var path: String
  package var writes: Int
  package var bytesWritten: UInt64
  package var syncs: Int
  package var rewrites: Int
  package var rewrittenBytes: UInt64
  /// Rewrites whose content was compared with the one before, those that changed nothing, and the bytes of the blocks
  /// of 4 KiB that changed of those that were compared.
  @Nullable package var comparedRewrites: Int? = nil
  @Nullable package var equalRewrites: Int? = nil
  @Nullable package var comparedBytes: UInt64? = nil
  @Nullable package var changedBytes: UInt64? = nil
  /// Reads: all where `smallReadsMeasured`, else those of 64 KiB and more, and smaller ones where they are known to be
  /// of this file.
  @Nullable package var reads: Int? = nil
  @Nullable package var bytesRead: UInt64? = nil
}

/// How much memory the process took.
package struct MemorySection: Codable, Sendable, Equatable {
  package var peakFootprintBytes: UInt64
  /// What the peak was at least, where it rose after the last reading, as the kernel's own peak tells; else left out.
  package var leastPeakFootprintBytes: UInt64?
  /// It may have been higher, after its last reading; else left out.
  package var peakIsLeast: Bool?
  package var endFootprintBytes: UInt64
  /// How long before its end that was read, where it is too long to be the end's; else left out.
  package var unreadSecondsAtEnd: Double?
  package var peakResidentBytes: UInt64
  @Nullable package var growthBytesPerMinute: Double?
  /// The 95 % interval of the growth.
  @Nullable package var growthInterval: [Double]?
  package var majorFaults: UInt64
  package var minorFaults: UInt64
  package var samples: [MemorySampleSection]
}

/// The memory at one moment.
package struct MemorySampleSection: Codable, Sendable, Equatable {
  package var time: Double
  package var footprintBytes: UInt64
  package var residentBytes: UInt64
}
