/// A part of the program's life, and what was used in it.
public struct PhaseSection: Codable, Sendable, Equatable {
  /// launch, active, inactive, background or terminating.
  public var name: String
  public var start: Double
  public var durationSeconds: Double
  /// How its beginning was known.
  public var how: String
  /// Whether the process was stopped by a signal.
  public var isStopped: Bool
  public var cpuSeconds: Double
  public var wakeups: Int
  public var timerWakeups: Int
  public var bytesSent: UInt64
  public var bytesReceived: UInt64
  public var bytesWritten: UInt64
  /// From its beginning until no thread ran for a second; null when that did not come.
  @Nullable public var settleSeconds: Double?
  @Nullable public var startFootprintBytes: UInt64?
  @Nullable public var settledFootprintBytes: UInt64?
  @Nullable public var energyJoules: Double?
}

/// A moment that somebody gave a name.
public struct MarkSection: Codable, Sendable, Equatable {
  public var name: String
  public var time: Double
  /// command, library, signal or pressure.
  public var how: String
}

/// A span that the program named itself, or a test.
public struct IntervalSection: Codable, Sendable, Equatable {
  public var name: String
  public var start: Double
  public var durationSeconds: Double
  /// Whether its end was not seen.
  public var isOpen: Bool
  public var thread: String
  public var cpuSeconds: Double
  public var wakeups: Int
  public var bytesSent: UInt64
  public var bytesReceived: UInt64
  public var bytesWritten: UInt64
  /// library, xctest or swift-testing; null in reports of older versions.
  @Nullable public var how: String?
  /// Of a test: passed, failed or skipped.
  @Nullable public var outcome: String?
  /// Its process, where that is not the report's.
  @Nullable public var pid: Int?
}
