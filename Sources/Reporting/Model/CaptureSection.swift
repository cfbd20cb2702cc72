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
  /// By what means each signal was measured; nil for a trace that another program recorded.
  package var rungs: [SignalRung]?
}

/// By what means a signal was measured.
package struct SignalRung: Codable, Sendable, Equatable {
  /// From the most that is told to the least.
  package enum Rung: String, Codable, Sendable, Equatable, CaseIterable {
    case kernel, perf, process, agent, switches, outside, sockets, proc
  }

  package var signal: String
  /// Null where it was not measured.
  @Nullable package var rung: Rung?
  /// What it may lack, as the recorder said.
  package var limits: [String]
}

extension SignalRung.Rung {
  /// As a reader is told.
  var title: String {
    switch self {
    case .kernel: "programs in the kernel"
    case .perf: "perf events"
    case .process: "within the process"
    case .agent: "the program itself"
    case .switches: "the kernel's switches, causes by looks from outside"
    case .outside: "looks from outside"
    case .sockets: "the kernel's counts of sockets"
    case .proc: "/proc"
    }
  }
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
  /// Which signals were measured by what means, in a line; nil where that is not known.
  var rungText: String? {
    let parts = SignalRung.Rung.allCases.compactMap { rung -> String? in
      let signals = (rungs ?? []).filter { $0.rung == rung }.map {
        $0.signal == "cpu" ? "CPU" : TextReport.words($0.signal)
      }
      return signals.isEmpty ? nil : "\(signals.joined(separator: ", ")): \(rung.title)"
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

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
