/// A moment that somebody gave a name.
package struct Mark: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var time: Double
  /// The name.
  package var name: String
  /// Who gave it: command, library, signal, pressure or cgroup.
  package var how: String
  /// Footprint at that time.
  package var footprintBytes: UInt64?
  /// Lowest footprint within 5 s after it.
  package var lowestFootprintBytes: UInt64?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    time: Double,
    name: String,
    how: String = "",
    footprintBytes: UInt64? = nil,
    lowestFootprintBytes: UInt64? = nil
  ) {
    self.time = time
    self.name = name
    self.how = how
    self.footprintBytes = footprintBytes
    self.lowestFootprintBytes = lowestFootprintBytes
  }

  /// Whether it tells that memory is short.
  package var isMemoryPressure: Bool { name.hasPrefix("memory-pressure") }
}

/// A span that the program named itself, with what was used in it.
package struct Interval: Sendable, Equatable {
  /// The name.
  package var name: String
  /// Seconds from the start of the trace.
  package var start: Double
  /// How long it lasted.
  package var durationSeconds: Double
  /// Whether its end was not seen.
  package var isOpen: Bool
  /// Thread that began it.
  package var thread: String
  /// CPU time of all threads of the process.
  package var cpuSeconds: Double
  /// Wakeups.
  package var wakeups: Int
  /// Payload bytes sent.
  package var bytesSent: UInt64
  /// Payload bytes received.
  package var bytesReceived: UInt64
  /// Bytes written to regular files.
  package var bytesWritten: UInt64
  /// Who told of it: library, or the tests' xctest or swift-testing.
  package var how: String
  /// What came of a test: passed, failed or skipped.
  package var outcome: String?
  /// Its process, where that is not the subject: a package's two kinds of tests run apart.
  package var pid: Int?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    name: String,
    start: Double,
    durationSeconds: Double,
    isOpen: Bool = false,
    thread: String = "",
    cpuSeconds: Double = 0,
    wakeups: Int = 0,
    bytesSent: UInt64 = 0,
    bytesReceived: UInt64 = 0,
    bytesWritten: UInt64 = 0,
    how: String = "library"
  ) {
    self.how = how
    self.name = name
    self.start = start
    self.durationSeconds = durationSeconds
    self.isOpen = isOpen
    self.thread = thread
    self.cpuSeconds = cpuSeconds
    self.wakeups = wakeups
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.bytesWritten = bytesWritten
  }
}
