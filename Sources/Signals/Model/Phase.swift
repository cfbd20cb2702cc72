/// A part of a program's life.
package enum PhaseName: String, Sendable, CaseIterable {
  /// From exec to ready for events.
  case launch
  /// In use.
  case active
  /// Visible or not, but interrupted.
  case inactive
  /// Out of the user's sight, or stopped.
  case background
  /// From being told to end to the exit.
  case terminating

  /// Phases in which the program is expected to do next to nothing.
  package var isQuiet: Bool { self == .inactive || self == .background }
}

/// A phase, and what was used in it.
package struct Phase: Sendable, Equatable {
  /// Which one.
  package var name: PhaseName
  /// Seconds from the start of the trace.
  package var start: Double
  /// How long it lasted.
  package var durationSeconds: Double
  /// How its beginning was known.
  package var how: String
  /// Whether the process was stopped by SIGSTOP or its like.
  package var isStopped: Bool
  /// CPU time of all threads.
  package var cpuSeconds: Double
  /// Wakeups.
  package var wakeups: Int
  /// Wakeups in interrupt context.
  package var idleWakeups: Int
  /// Wakeups by timers.
  package var timerWakeups: Int
  /// Payload bytes sent.
  package var bytesSent: UInt64
  /// Payload bytes received.
  package var bytesReceived: UInt64
  /// Bytes written to regular files.
  package var bytesWritten: UInt64
  /// From the beginning until no thread ran for a second; nil when that did not come.
  package var settleSeconds: Double?
  /// How long the main thread's turn took in which it was told of the phase; nil where it had none then.
  package var handlerSeconds: Double?
  /// Longest spell of work after a wakeup, pauses of under 100 ms included.
  package var longestBusySeconds: Double
  /// Footprint at the beginning.
  package var startFootprintBytes: UInt64?
  /// Footprint 5 s later, or at the end of a shorter phase.
  package var settledFootprintBytes: UInt64?
  /// Modelled energy.
  package var energy: EnergySignal?
  /// The same at the prices of the sort of machine that the rules' limits were made for, whatever the machine is.
  package var standardJoules: Double?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    name: PhaseName,
    start: Double,
    durationSeconds: Double,
    how: String = "",
    isStopped: Bool = false,
    cpuSeconds: Double = 0,
    wakeups: Int = 0,
    idleWakeups: Int = 0,
    timerWakeups: Int = 0,
    bytesSent: UInt64 = 0,
    bytesReceived: UInt64 = 0,
    bytesWritten: UInt64 = 0,
    settleSeconds: Double? = nil,
    longestBusySeconds: Double = 0,
    startFootprintBytes: UInt64? = nil,
    settledFootprintBytes: UInt64? = nil,
    energy: EnergySignal? = nil
  ) {
    self.name = name
    self.start = start
    self.durationSeconds = durationSeconds
    self.how = how
    self.isStopped = isStopped
    self.cpuSeconds = cpuSeconds
    self.wakeups = wakeups
    self.idleWakeups = idleWakeups
    self.timerWakeups = timerWakeups
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.bytesWritten = bytesWritten
    self.settleSeconds = settleSeconds
    self.longestBusySeconds = longestBusySeconds
    self.startFootprintBytes = startFootprintBytes
    self.settledFootprintBytes = settledFootprintBytes
    self.energy = energy
  }

  /// When it ended.
  package var end: Double { start + durationSeconds }
}
