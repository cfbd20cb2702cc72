import TraceModel

/// Devices and services that were used, which hint at what no event shows.
enum SightingMeasure {
  static let prefixes = ["/dev/", "/sys/bus/iio/", "/run/systemd/inhibit/"]
  /// Every program opens these.
  static let common: Set<String> = [
    "/dev/null", "/dev/zero", "/dev/tty", "/dev/urandom", "/dev/random", "/dev/ptmx",
  ]

  static func paths(_ subject: SubjectView) -> [String] {
    var found: Set<String> = []
    for operation in subject.trace.fileOperations.matching({
      if case .open = $0.kind { $0.pid == subject.pid } else { false }
    }) {
      guard let path = operation.path,
        prefixes.contains(where: path.hasPrefix), !common.contains(path),
        !path.hasPrefix("/dev/shm/"), !path.hasPrefix("/dev/pts/")
      else { continue }
      found.insert(path)
    }
    // gpsd's registered port.
    for connection in subject.trace.connections
    where connection.isOf(subject.pid) && connection.remote.hasSuffix(":2947") {
      found.insert("gpsd:" + connection.remote)
    }
    return found.sorted()
  }
}
