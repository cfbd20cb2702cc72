/// A recording as it is drawn: lanes over one time axis, and the call trees of its stacks.
///
/// Times are seconds from the start of the trace, those within lanes microseconds. Equal traces give
/// equal timelines, and their size is bounded whatever the length of the recording.
package struct Timeline: Sendable, Codable, Equatable {
  /// Length of the axis.
  package var durationSeconds: Double
  /// In the order in which they are drawn.
  package var lanes: [TimelineLane]
  /// Launch, termination and what the program marked itself.
  package var phases: [TimelinePhase]
  /// The footprint, a sample for each pixel of a wide screen at most.
  package var footprint: [FootprintPoint]
  /// What the radio's states and bytes cost; nil without traffic.
  package var radio: RadioPrices?
  /// What events cost.
  package var prices: EnergyPrices?
  /// Where time went, by cause and call stack.
  package var flames: [FlameGraph]

  /// Makes a timeline from its parts.
  package init(
    durationSeconds: Double, lanes: [TimelineLane] = [], phases: [TimelinePhase] = [],
    footprint: [FootprintPoint] = [], radio: RadioPrices? = nil, flames: [FlameGraph] = []
  ) {
    self.durationSeconds = durationSeconds
    self.lanes = lanes
    self.phases = phases
    self.footprint = footprint
    self.radio = radio
    self.flames = flames
  }
}

/// What a lane of the timeline shows.
package enum TimelineLaneKind: String, Sendable, Codable {
  /// A thread's states, in microseconds each.
  case thread
  /// Microseconds on CPUs.
  case cpu
  /// Wakeups by cause, those by an interrupt, and those that made a CPU leave idle.
  case wakeups
  /// The modelled radio's states, in microseconds each.
  case radio
  /// Bytes sent and received, and the nanojoules that they add to the radio's states.
  case network
  /// Bytes, writes, syncs, microseconds in syncs, and what wakes the disk and what makes it go elsewhere.
  case disk
}

/// Amounts of some channels over time, on a grid fine enough for the lane's share of the file.
package struct TimelineLane: Sendable, Codable, Equatable {
  package var kind: TimelineLaneKind
  /// The thread, for a thread's lane.
  package var tid: Int?
  /// The thread's name.
  package var name: String
  /// The thread's part in the process.
  package var role: String
  /// Names of the channels.
  package var channels: [String]
  /// Length of a grid cell in microseconds, a power of two.
  package var quantum: Int
  /// The cells in base 64; see `GridEncoder`.
  package var data: String
}

/// A span or, when it has no end, a moment with a name.
package struct TimelinePhase: Sendable, Codable, Equatable {
  package var name: String
  package var start: Double
  package var end: Double?

  /// Makes a phase.
  package init(name: String, start: Double, end: Double? = nil) {
    self.name = name
    self.start = start
    self.end = end
  }
}

/// The memory at one time.
package struct FootprintPoint: Sendable, Codable, Equatable {
  package var time: Double
  package var footprintBytes: UInt64
  package var residentBytes: UInt64
}

/// By what a selection's radio energy is computed.
package struct RadioPrices: Sendable, Codable, Equatable {
  /// Power of each state but idle.
  package var watts: [String: Double]
}

/// By what the power of all parts is computed from the lanes.
package struct EnergyPrices: Sendable, Codable, Equatable {
  /// Watts of a busy core.
  package var wattsPerCore: Double
  /// Joules of a wakeup that made its CPU leave idle.
  package var joulesPerWakeup: Double
  /// Joules of a disk operation, of a byte written, of a random block.
  package var joulesPerOperation: Double
  package var joulesPerByte: Double
  package var joulesPerRandomBlock: Double
}
