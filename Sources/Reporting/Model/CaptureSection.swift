import PerfData

/// How a recording was made, and what it could not see.
package struct CaptureSection: Codable, Sendable, Equatable {
  /// "wrap" or "attach"; null for a trace that another program recorded.
  @Nullable package var mode: String?
  /// "system" or "process".
  @Nullable package var scope: String?
  @Nullable package var privilege: String?
  /// What was not measured, and why.
  package var unavailable: [UnavailableSignal]
  package var overhead: Overhead
  /// Sources that were sampled for a while because recording each event would have cost too much.
  package var sampled: [SampledSource]
  /// Sources whose events were also counted exactly.
  package var exactCounts: [ExactCount]
  /// The period of the readings from /proc.
  @Nullable package var intervalSeconds: Double?
  /// The version of Lull that recorded the trace.
  @Nullable package var recorder: String?
}

/// Something that was not measured, and why.
package struct UnavailableSignal: Codable, Sendable, Equatable {
  package var signal: String
  package var reason: String
}

/// What recording cost.
package struct Overhead: Codable, Sendable, Equatable {
  /// CPU time of the recorder itself; null when it did not live to tell.
  @Nullable package var cpuSeconds: Double?
}

/// A source of events that was sampled for a while.
package struct SampledSource: Codable, Sendable, Equatable {
  package var source: String
  /// Seconds from the start of the trace.
  package var start: Double
  package var end: Double
  /// One in how many events was recorded.
  package var period: Double
}

/// The exact number of events of a source.
package struct ExactCount: Codable, Sendable, Equatable {
  package var source: String
  package var count: Double

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
