import Signals

/// Turns phases, marks and intervals into the sections of a report.
enum PhaseBuilding {
  static func phase(_ phase: Phase) -> PhaseSection {
    PhaseSection(
      name: phase.name.rawValue, start: phase.start.finite,
      durationSeconds: phase.durationSeconds.finite, how: phase.how, isStopped: phase.isStopped,
      cpuSeconds: phase.cpuSeconds.finite, wakeups: phase.wakeups,
      timerWakeups: phase.timerWakeups, bytesSent: phase.bytesSent,
      bytesReceived: phase.bytesReceived, bytesWritten: phase.bytesWritten,
      settleSeconds: phase.settleSeconds?.finite, handlerSeconds: phase.handlerSeconds?.finite,
      startFootprintBytes: phase.startFootprintBytes,
      settledFootprintBytes: phase.settledFootprintBytes,
      energyJoules: phase.energy?.totalJoules.finite)
  }

  static func mark(_ mark: Mark) -> MarkSection {
    MarkSection(name: mark.name, time: mark.time.finite, how: mark.how)
  }

  static func interval(_ interval: Interval) -> IntervalSection {
    IntervalSection(
      name: interval.name, start: interval.start.finite,
      durationSeconds: interval.durationSeconds.finite, isOpen: interval.isOpen,
      thread: interval.thread, cpuSeconds: interval.cpuSeconds.finite, wakeups: interval.wakeups,
      bytesSent: interval.bytesSent, bytesReceived: interval.bytesReceived,
      bytesWritten: interval.bytesWritten, how: interval.how, outcome: interval.outcome,
      pid: interval.pid)
  }
}
