import PerfData

/// How a recording was made, and what it could not see.
public struct CaptureSection: Codable, Sendable, Equatable {
  /// "wrap" or "attach"; null for a trace that another program recorded.
  @Nullable public var mode: String?
  /// "system" or "process".
  @Nullable public var scope: String?
  @Nullable public var privilege: String?
  /// What was not measured, and why.
  public var unavailable: [UnavailableSignal]
  public var overhead: Overhead
  /// Sources that were sampled for a while because recording each event would have cost too much.
  public var sampled: [SampledSource]
  /// Sources whose events were also counted exactly.
  public var exactCounts: [ExactCount]
  /// The period of the readings from /proc.
  @Nullable public var intervalSeconds: Double?
  /// The version of Lull that recorded the trace.
  @Nullable public var recorder: String?
}

/// Something that was not measured, and why.
public struct UnavailableSignal: Codable, Sendable, Equatable {
  public var signal: String
  public var reason: String
}

/// What recording cost.
public struct Overhead: Codable, Sendable, Equatable {
  /// CPU time of the recorder itself; null when it did not live to tell.
  @Nullable public var cpuSeconds: Double?
}

/// A source of events that was sampled for a while.
public struct SampledSource: Codable, Sendable, Equatable {
  public var source: String
  /// Seconds from the start of the trace.
  public var start: Double
  public var end: Double
  /// One in how many events was recorded.
  public var period: Double
}

/// The exact number of events of a source.
public struct ExactCount: Codable, Sendable, Equatable {
  public var source: String
  public var count: Double

  /// Whether it counts system calls that write rather than events.
  var isOfWriteCalls: Bool { source == CaptureEvent.ExactCount.writeCalls }
}

extension CaptureSection {
  /// The signals that were not recorded, together where one reason holds for several.
  var unavailableByReason: [(signals: [String], reason: String)] {
    var groups: [(signals: [String], reason: String)] = []
    for missing in unavailable {
      if let index = groups.firstIndex(where: { $0.reason == missing.reason }) {
        groups[index].signals.append(missing.signal)
      } else {
        groups.append(([missing.signal], missing.reason))
      }
    }
    return groups
  }
}
