/// A line of `doctor` that tells of tracepoints, by its name.
enum CapabilityLine: String, CaseIterable {
  case mainThread = "main thread"
  case wakeups, network, disk

  /// What is recorded with all its tracepoints.
  var full: String {
    switch self {
    case .mainThread: "every switch of the process's threads, with the cause of each wait"
    case .wakeups: "every wakeup, with waker and context"
    case .network: "sends, receives, and connections opening and closing"
    case .disk: "reads, writes and syncs by descriptor"
    }
  }

  /// What is recorded with the essential ones alone.
  var partial: String { self == .network ? "sends and receives" : full }
}
