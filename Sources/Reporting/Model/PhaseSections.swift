/// A part of the program's life, and what was used in it.
package struct PhaseSection: Codable, Sendable, Equatable {
  /// launch, active, inactive, background or terminating.
  package var name: String
  package var start: Double
  package var durationSeconds: Double
  /// How its beginning was known.
  package var how: String
  /// Whether the process was stopped by a signal.
  package var isStopped: Bool
  package var cpuSeconds: Double
  package var wakeups: Int
  package var timerWakeups: Int
  package var bytesSent: UInt64
  package var bytesReceived: UInt64
  package var bytesWritten: UInt64
  /// From its beginning until no thread ran for a second; null when that did not come.
  @Nullable package var settleSeconds: Double?
  /// The main thread's turn in which it was told of the phase; null where it had none.
  @Nullable package var handlerSeconds: Double? = nil
  @Nullable package var startFootprintBytes: UInt64?
  @Nullable package var settledFootprintBytes: UInt64?
  @Nullable package var energyJoules: Double?
}

/// A moment that somebody gave a name.
package struct MarkSection: Codable, Sendable, Equatable {
  package var name: String
  package var time: Double
  /// command, library, signal or pressure.
  package var how: String
}

/// A span that the program named itself, or a test.
package struct IntervalSection: Codable, Sendable, Equatable {
  package var name: String
  package var start: Double
  package var durationSeconds: Double
  /// Whether its end was not seen.
  package var isOpen: Bool
  package var thread: String
  package var cpuSeconds: Double
  package var wakeups: Int
  package var bytesSent: UInt64
  package var bytesReceived: UInt64
  package var bytesWritten: UInt64
  /// library, xctest or swift-testing; null in reports of older versions.
  @Nullable package var how: String?
  /// Of a test: passed, failed or skipped.
  @Nullable package var outcome: String?
  /// Its process, where that is not the report's.
  @Nullable package var pid: Int?
}
