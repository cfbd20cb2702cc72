/// The frozen, versioned outcome of analysing one trace: what every format is made from.
///
/// Times are seconds from the start of the trace, sizes bytes, energies joules. Keys may be added
/// within a schema version; none is renamed.
public struct Report: Codable, Sendable {
  /// The schema that this version writes.
  public static let schema = "lull.report/1"

  /// The schema of this report.
  public var schema: String
  /// The program that made the report.
  public var generator: Generator
  /// The trace that was analysed.
  public var trace: TraceSection
  /// The process that is scored.
  public var process: ProcessSection
  /// Every process of the recording with its totals.
  public var processes: [ProcessTotals]
  /// How the recording was made.
  public var capture: CaptureSection
  /// The scores.
  public var score: ScoreSection
  /// What was measured; a signal that was not is null.
  public var signals: SignalsSection
  /// Which functions caused what was measured.
  public var blame: BlameSection
  /// The parts of the program's life, in order.
  @Elements public var phases: [PhaseSection] = []
  /// Moments with names, in order.
  @Elements public var marks: [MarkSection] = []
  /// Spans that the program named, by their beginning.
  @Elements public var intervals: [IntervalSection] = []
  /// Each rule's outcome, in the catalogue's order.
  public var audits: [AuditSection]
  /// What following the rules would save, the largest first.
  public var opportunities: [OpportunitySection]
  /// The recording in a few columns; null in reports of older versions.
  @Nullable public var overview: OverviewSection?
}

/// The program that made a report.
public struct Generator: Codable, Sendable, Equatable {
  public var name: String
  public var version: String
}

/// The trace behind a report.
public struct TraceSection: Codable, Sendable, Equatable {
  /// The path as it was given.
  public var path: String
  /// Wall clock time of the start, ISO 8601.
  @Nullable public var startTime: String?
  public var durationSeconds: Double
  @Nullable public var hostname: String?
  @Nullable public var kernel: String?
  @Nullable public var cpuCount: Int?
  /// The processor as the machine names it.
  @Nullable public var cpuModel: String?
  /// Records with a time, without those that only carry names; what was lost is not among them.
  @Nullable public var records: UInt64?
  /// Records that the kernel had no room for.
  public var lostEvents: UInt64
  /// Samples that the kernel had no room for.
  public var lostSamples: UInt64
  /// Times the kernel throttled an event.
  public var throttled: UInt64
  /// Whether the trace ends before its recording did.
  public var truncated: Bool
  /// What is missing from a truncated trace.
  @Nullable public var truncationNote: String?
  /// Records of a kind this version does not know.
  public var unknownRecords: Int
  /// Files that could not be used for names: changed since the recording, or not there.
  public var symbolProblems: [String]
  /// Runs of the process's threads of which no record tells when they began: its CPU time is at least what is given.
  @Nullable public var untoldRuns: Int?
  /// Records that could not be decoded, by reason.
  public var undecodable: [String: Int]
}

/// The process that a report scores.
public struct ProcessSection: Codable, Sendable, Equatable {
  public var pid: Int
  public var name: String
  @Nullable public var executable: String?
  public var commandLine: [String]
  /// Whether it is a Swift program; null when that could not be told.
  @Nullable public var isSwift: Bool?
  @Nullable public var swiftVersion: String?
  public var threadCount: Int
  @Nullable public var exitStatus: Int?
  /// The signal that ended it.
  @Nullable public var signal: Int?
  /// Pids of the processes it started.
  public var children: [Int]
}

/// What one process of the recording used in all.
public struct ProcessTotals: Codable, Sendable, Equatable {
  public var pid: Int
  @Nullable public var parentPid: Int?
  public var name: String
  public var cpuSeconds: Double
  public var wakeups: Int
  public var bytesWritten: UInt64
  public var bytesSent: UInt64
  public var bytesReceived: UInt64
  @Nullable public var peakFootprintBytes: UInt64?
}

/// The scores of a report.
public struct ScoreSection: Codable, Sendable, Equatable {
  /// 0 to 100; null when no rule could be scored.
  @Nullable public var overall: Double?
  public var categories: [CategorySection]
  /// The version of the scoring configuration.
  public var configuration: String
  /// What sort of program it was scored as: app, server or tool.
  @Nullable public var profile: String?
  /// Why it was taken for one.
  @Nullable public var profileReason: String?
  /// Energy of the battery that shares are of, in watt-hours.
  @Nullable public var batteryWattHours: Double?
}

/// The score of one category of rules.
public struct CategorySection: Codable, Sendable, Equatable {
  public var id: String
  public var title: String
  @Nullable public var score: Double?
  public var weight: Double
}
