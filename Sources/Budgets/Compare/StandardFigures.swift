import Reporting

/// The figures that are worth watching in any program.
package enum StandardFigures {
  /// What it is, and why it matters.
  package static let all: [(path: String, why: String)] = [
    ("signals.disk.syncs", "each waits for the device"),
    ("signals.disk.bytesWritten", "bytes handed to files"),
    ("signals.disk.writes", "calls that write to files"),
    ("signals.mainThread.hangs.count", "turns of the main thread of 100 ms or more"),
    ("signals.mainThread.blockedSeconds", "the main thread waiting within a turn"),
    ("signals.mainThread.launchSeconds", "from exec to the first wait for events"),
    ("signals.wakeups.perSecond", "every wakeup keeps the CPU from sleeping"),
    ("signals.wakeups.idlePerSecond", "wakeups of an idle process"),
    ("audits.polling-timers.value", "timed waits that expired for nothing, per second"),
    ("signals.network.bytesSent", "bytes sent"),
    ("signals.network.bytesReceived", "bytes received"),
    ("signals.network.bursts.count", "times the radio is woken"),
    ("signals.memory.peakFootprintBytes", "the most memory held"),
    ("signals.cpu.totalSeconds", "CPU time"),
    ("trace.durationSeconds", "how long it ran"),
    ("score.overall", "the score, 100 at best"),
  ]

  /// What is allowed between two sets of runs when no budget says so.
  package static let allowed = AllowedChange(relative: 0.05)
}
