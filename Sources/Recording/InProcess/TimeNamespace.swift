import Glibc

/// The namespace by which a process's clocks are told (time_namespaces(7)).
struct TimeNamespace: Equatable {
  var inode: UInt64
  /// Of CLOCK_MONOTONIC, in nanoseconds.
  var offset: Int64

  /// The calling process's; nil where the kernel has none (before Linux 5.6).
  static var own: TimeNamespace? {
    var status = stat()
    guard stat("/proc/self/ns/time", &status) == 0,
      let offset = KernelFile.text("/proc/self/timens_offsets").flatMap(offset)
    else { return nil }
    return TimeNamespace(inode: UInt64(status.st_ino), offset: offset)
  }

  /// The clock's offset among lines of its name, seconds and nanoseconds.
  static func offset(in text: String) -> Int64? {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, words[0] == "monotonic",
        let seconds = Int64(words[1]),
        let rest = Int64(words[2])
      else { continue }
      return seconds * 1_000_000_000 + rest
    }
    return nil
  }
}
