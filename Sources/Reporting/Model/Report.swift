/// The frozen, versioned outcome of analysing one trace: what every format is made from.
///
/// Times are seconds from the start of the trace, sizes bytes, energies joules. Keys may be added
/// within a schema version; none is renamed.
package struct Report: Codable, Sendable {
  /// The schema that this version writes.
  package static let schema = "lull.report/1"

  /// The schema of this report.
  package var schema: String
  /// The program that made the report.
  package var generator: Generator
  /// The trace that was analysed.
  package var trace: TraceSection
  /// The process that is scored.
  package var process: ProcessSection
  /// Every process of the recording with its totals.
  package var processes: [ProcessTotals]
  /// How the recording was made.
  package var capture: CaptureSection
  /// The scores.
  package var score: ScoreSection
  /// What was measured; a signal that was not is null.
  package var signals: SignalsSection
  /// Which functions caused what was measured.
  package var blame: BlameSection
  /// Why a flight recorder wrote the trace; left out of all others.
  package var trigger: TriggerSection? = nil
  /// The parts of the program's life, in order.
  @Elements package var phases: [PhaseSection] = []
  /// Moments with names, in order.
  @Elements package var marks: [MarkSection] = []
  /// Spans that the program named, by their beginning.
  @Elements package var intervals: [IntervalSection] = []
  /// Each rule's outcome, in the catalogue's order.
  package var audits: [AuditSection]
  /// What following the rules would save, the largest first.
  package var opportunities: [OpportunitySection]
  /// The recording in a few columns; null in reports of older versions.
  @Nullable package var overview: OverviewSection?
}

/// The program that made a report.
package struct Generator: Codable, Sendable, Equatable {
  package var name: String
  package var version: String
}

/// The trace behind a report.
package struct TraceSection: Codable, Sendable, Equatable {
  /// The path as it was given.
  package var path: String
  /// Wall clock time of the start, ISO 8601.
  @Nullable package var startTime: String?
  package var durationSeconds: Double
  @Nullable package var hostname: String?
  @Nullable package var kernel: String?
  @Nullable package var cpuCount: Int?
  /// The processor as the machine names it.
  @Nullable package var cpuModel: String?
  /// Records with a time, without those that only carry names; what was lost is not among them.
  @Nullable package var records: UInt64?
  /// Records that the kernel had no room for.
  package var lostEvents: UInt64
  /// Samples that the kernel had no room for.
  package var lostSamples: UInt64
  /// How much of the recording the lost records would have told of; left out where none were, or it is not known when
  /// they were lost.
  package var lostSeconds: Double?
  /// Times the kernel throttled an event.
  package var throttled: UInt64
  /// Why it is not known whether something was lost; left out where the trace would say so.
  package var lossNote: String?
  /// Whether the trace ends before its recording did.
  package var truncated: Bool
  /// What is missing from a truncated trace.
  @Nullable package var truncationNote: String?
  /// Records of a kind this version does not know.
  package var unknownRecords: Int
  /// Files that could not be used for names: changed since the recording, or not there.
  package var symbolProblems: [String]
  /// Files of which it is not certain that they are those that ran; left out where there are none.
  package var nameDoubts: [String]?
  /// Files that have lines which cannot be read; left out where there are none.
  package var lineProblems: [String]?
  /// Runs of the process's threads of which no record tells when they began: its CPU time is at least what is given.
  @Nullable package var untoldRuns: Int?
  /// Records that could not be decoded, by reason.
  package var undecodable: [String: Int]
  /// Nothing tells what the trace is about: what is scored is the process that used most. Left out elsewhere.
  package var isSubjectByUse: Bool?
}

/// The process that a report scores.
package struct ProcessSection: Codable, Sendable, Equatable {
  package var pid: Int
  package var name: String
  @Nullable package var executable: String?
  package var commandLine: [String]
  /// Whether it is a Swift program; null when that could not be told.
  @Nullable package var isSwift: Bool?
  @Nullable package var swiftVersion: String?
  package var threadCount: Int
  @Nullable package var exitStatus: Int?
  /// The signal that ended it.
  @Nullable package var signal: Int?
  /// Pids of the processes it started.
  package var children: [Int]
}

/// What one process of the recording used in all, and the scored one as the program that is scored; null where it was
/// not measured.
package struct ProcessTotals: Codable, Sendable, Equatable {
  package var pid: Int
  @Nullable package var parentPid: Int?
  package var name: String
  @Nullable package var cpuSeconds: Double?
  @Nullable package var wakeups: Int?
  @Nullable package var bytesWritten: UInt64?
  @Nullable package var bytesSent: UInt64?
  @Nullable package var bytesReceived: UInt64?
  @Nullable package var peakFootprintBytes: UInt64?
  /// From when on its events were not recorded, in seconds from the start; left out where they were.
  package var unrecordedFrom: Double?
  /// It went on when the command had ended that was recorded; left out where it did not.
  package var outlivesCommand: Bool?
  /// It was looked at from outside, beside others that were recorded from within, so that its wakeups, bytes written
  /// and transferred are null; left out where it was not.
  package var isLookedAt: Bool?
  /// What the scored one did before it ran its program, as another or as the recorder's copy that became it, which its
  /// figures are without; left out where it did nothing.
  package var earlier: EarlierPrograms?
}

/// What a process did before it ran the program that is scored.
package struct EarlierPrograms: Codable, Sendable, Equatable {
  /// Until when it ran them, in seconds from the start.
  package var until: Double
  @Nullable package var cpuSeconds: Double?
  @Nullable package var bytesWritten: UInt64?
}

/// The scores of a report.
package struct ScoreSection: Codable, Sendable, Equatable {
  /// 0 to 100; null when too little was measured.
  @Nullable package var overall: Double?
  /// Share of what would count that was measured, from 0 to 1; null where nothing would, and in reports of before.
  @Nullable package var measuredShare: Double?
  /// The least that it is, by what was seen; null when nothing was measured.
  @Nullable package var low: Double?
  /// The most that it is.
  @Nullable package var high: Double?
  /// Why there is no score, or why it is no single number.
  @Nullable package var note: String?
  /// Bounds up to so many points apart are shown as one number.
  @Nullable package var narrow: Double?
  package var categories: [CategorySection]
  /// The version of the scoring configuration.
  package var configuration: String
  /// What sort of program it was scored as: app, server or tool.
  @Nullable package var profile: String?
  /// Why it was taken for one.
  @Nullable package var profileReason: String?
  /// Energy of the battery that shares are of, in watt-hours.
  @Nullable package var batteryWattHours: Double?
}

/// The score of one category of rules.
package struct CategorySection: Codable, Sendable, Equatable {
  package var id: String
  package var title: String
  @Nullable package var score: Double?
  /// The least that it is, by what was seen; null when nothing was measured.
  @Nullable package var low: Double?
  /// The most that it is.
  @Nullable package var high: Double?
  package var weight: Double
}

extension ProcessTotals {
  /// The order of those that cost, of equals the first that began.
  package func costsMore(than other: ProcessTotals) -> Bool {
    (other.cpuSeconds ?? 0, other.wakeups ?? 0, pid) < (cpuSeconds ?? 0, wakeups ?? 0, other.pid)
  }
}

extension Report {
  /// How much of the recording the scored process lived in, in seconds: what came before, such as its build, is none of
  /// its time.
  package var livedSeconds: Double {
    phases.isEmpty ? trace.durationSeconds : phases.reduce(0) { $0 + $1.durationSeconds }
  }

  /// Every process's totals: of the scored one those of its program, as elsewhere in the report, without what its
  /// process did before as another.
  package var shownProcesses: [ProcessTotals] {
    processes.map { process in
      guard process.pid == self.process.pid, process.unrecordedFrom == nil else { return process }
      var own = process
      own.cpuSeconds = signals.cpu?.totalSeconds ?? own.cpuSeconds
      own.wakeups = signals.wakeups?.total ?? own.wakeups
      own.bytesWritten = signals.disk?.bytesWritten ?? own.bytesWritten
      own.bytesSent = signals.network?.bytesSent ?? own.bytesSent
      own.bytesReceived = signals.network?.bytesReceived ?? own.bytesReceived
      own.peakFootprintBytes = signals.memory?.peakFootprintBytes ?? own.peakFootprintBytes
      return own
    }
  }
}
