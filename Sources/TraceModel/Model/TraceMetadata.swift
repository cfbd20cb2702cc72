import PerfData

/// What a trace says of itself: where and when it was made, and what it lacks.
public struct TraceMetadata: Sendable {
  public var path: String
  /// Wall-clock time of the first record, nanoseconds since 1970, where the trace pairs the clocks.
  public var startWallNanoseconds: UInt64?
  /// From the first to the last record of the recording.
  public var durationSeconds: Double
  public var hostname: String?
  public var kernel: String?
  public var cpuCount: Int
  /// The processor as the machine names it.
  public var cpuModel: String? = nil
  /// Records with a time, without those that only carry names.
  public var records = 0
  /// Records that the kernel dropped because a ring buffer was full.
  public var lostEvents: UInt64
  /// Samples dropped before they reached a ring (PERF_RECORD_LOST_SAMPLES).
  public var lostSamples: UInt64
  public var throttled: Int
  /// Why it is not known whether something was lost; nil where the trace would say so.
  public var lossNote: String?
  public var truncated: Bool
  public var truncationNote: String?
  public var unknownRecords: Int
  /// Files that could not be used for names, one line each: changed since, or not there.
  public var symbolProblems: [String] = []
  /// Files of which it is not certain that they are those that ran, one line each.
  public var nameDoubts: [String] = []
  /// Files that have lines which cannot be read, one line each.
  public var lineProblems: [String] = []
  /// What the subject wrote to files that were gone before they could be looked at.
  public var untoldWrites = UntoldWrites()
  /// By what ways it may have written besides.
  public var unseenWays = UnseenWays()
  /// Runs of the subject's threads of which no record tells when they began.
  public var untoldRuns = 0
  /// Records that could not be decoded, by reason.
  public var undecodable: [String: Int]
  /// Nothing tells what the trace is about: its subject is the process that used most.
  public var isSubjectByUse = false
}
