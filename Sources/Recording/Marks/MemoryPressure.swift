import Glibc

/// Makes memory short for one process for a moment, by its memory cgroup.
package enum MemoryPressure {
  /// How short.
  package enum Level: String, Sendable, CaseIterable {
    case warning, critical

    /// What the limit is set to, of what is used.
    var share: Double { self == .warning ? 0.9 : 0.7 }
  }

  /// What came of it.
  package enum Outcome: Sendable, Equatable {
    case applied(String)
    case refused(String)
  }

  /// A cgroup's files that matter here.
  struct Group: Equatable {
    var directory: String
    /// cgroup v2: memory.high; v1: memory.limit_in_bytes.
    var limit: String
    var usage: String
    /// What takes the limit away.
    var unlimited: String
    /// Version 1, whose limit is not to be held: what cannot be reclaimed is killed for.
    var isFirst: Bool
  }

  private static let holdMicroseconds: useconds_t = 500_000

  /// Lowers the cgroup's limit below what is used for a moment, which makes the kernel reclaim and tell whoever listens
  /// to the cgroup's pressure, and puts it back.
  package static func apply(to pid: Int32, level: Level) -> Outcome {
    guard let text = KernelFile.text("/proc/\(pid)/cgroup"),
      let mounts = KernelFile.text("/proc/self/mounts"),
      let group = group(cgroups: text, mounts: mounts)
    else { return .refused("the process has no memory cgroup of its own") }
    if let reason = whyShared(group, with: pid) { return .refused(reason) }
    guard let before = KernelFile.text(group.limit)?.trimmedLine,
      let used = KernelFile.text(group.usage)?.trimmedLine, let usage = Double(used), usage > 0
    else { return .refused("\(group.usage) cannot be read") }
    let limit = Int(usage * level.share) / 4096 * 4096
    let failure = write("\(limit)", to: group.limit)
    // What cannot be reclaimed so far down is refused, after all has been tried and the cgroup's listeners were told.
    let isShort = failure == 0 || (group.isFirst && failure == EBUSY)
    if !group.isFirst, isShort { usleep(holdMicroseconds) }
    let isBack = write(before, to: group.limit) == 0 || write(group.unlimited, to: group.limit) == 0
    guard isShort else {
      return .refused("\(group.limit) cannot be set: \(String(cString: strerror(failure)))")
    }
    guard isBack else {
      return .refused("\(group.limit) was lowered and could not be put back to \(before)")
    }
    return .applied(
      failure == 0
        ? "its memory cgroup was held to \(limit) bytes for a moment"
        : "its memory cgroup was asked to shrink to \(limit) bytes")
  }

  /// The memory cgroup in the text of /proc/PID/cgroup; nil for the root, which is everybody's.
  static func group(cgroups: String, mounts: String) -> Group? {
    for found in ControlGroup.groups(of: "memory", cgroups: cgroups, mounts: mounts) {
      let directory = found.directory
      if found.isFirst {
        return Group(
          directory: directory, limit: directory + "/memory.limit_in_bytes",
          usage: directory + "/memory.usage_in_bytes", unlimited: "-1", isFirst: true)
      }
      // Only a cgroup with the memory controller has this file.
      guard access(directory + "/memory.high", F_OK) == 0 else { continue }
      return Group(
        directory: directory, limit: directory + "/memory.high",
        usage: directory + "/memory.current", unlimited: "max", isFirst: false)
    }
    return nil
  }

  /// Why a cgroup must be left alone: others live in it.
  private static func whyShared(_ group: Group, with pid: Int32) -> String? {
    guard let text = KernelFile.text(group.directory + "/cgroup.procs") else {
      return "\(group.directory)/cgroup.procs cannot be read"
    }
    for line in text.split(separator: "\n") {
      guard let other = Int32(line), other != pid, !isDescendant(other, of: pid) else { continue }
      return "its memory cgroup holds process \(other) too; start it in one of its own, such as "
        + "with systemd-run --scope"
    }
    return nil
  }

  private static func isDescendant(_ pid: Int32, of ancestor: Int32) -> Bool {
    var at = pid
    for _ in 0..<64 {
      guard let parent = ProcessStatistics(pid: at)?.parentPid, parent > 0 else { return false }
      if parent == ancestor { return true }
      at = parent
    }
    return false
  }

  /// Zero, or the error's number.
  private static func write(_ text: String, to path: String) -> Int32 {
    let fd = open(path, O_WRONLY | O_CLOEXEC)
    guard fd >= 0 else { return errno }
    defer { close(fd) }
    let bytes = Array(text.utf8)
    return Glibc.write(fd, bytes, bytes.count) == bytes.count ? 0 : errno
  }
}

extension String {
  fileprivate var trimmedLine: String { String(prefix { $0 != "\n" }) }
}
