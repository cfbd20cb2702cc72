import PerfData

/// What something is recorded for, in the words by which a trace and a report name what they lack.
enum Purpose: String {
  case mainThread, wakeups, network, disk, connections, lifecycle, processes, concurrency, tests
  case marks, counters
  /// The stacks of writes and sends.
  case callSites = "call sites"
  /// The paths that programs give to the C library.
  case fileNames = "file names"
  /// How programs call their dispatch queues.
  case queueLabels = "queue labels"
  case fileContents = "file contents"
  case syncTimes = "sync times"
  case ioUring = "io_uring"
  case sharedMappings = "shared mappings"
  case spinWaits = "spin waits"
  /// What threads wait for elsewhere than in calls that are recorded.
  case otherWaits = "waits outside of calls"
  case cpuSamples = "cpu samples"
  case kernelSymbols = "kernel symbols"
}

extension CaptureEvent.Unavailable {
  /// Something that is not recorded, and why.
  init(_ purpose: Purpose, _ reason: String) {
    self.init(signal: purpose.rawValue, reason: reason)
  }
}
