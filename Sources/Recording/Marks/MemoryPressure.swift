import Glibc

/// Makes memory short for one process for a moment, by its memory cgroup.
public enum MemoryPressure {
  /// How short.
  public enum Level: String, Sendable, CaseIterable {
    case warning, critical

    /// What the limit is set to, of what is used.
    var share: Double { self == .warning ? 0.9 : 0.7 }
  }

  /// What came of it.
  public enum Outcome: Sendable, Equatable {
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
  }

  private static let holdMicroseconds: useconds_t = 500_000

  /// Lowers the cgroup's limit below what is used, waits half a second, and puts it back.
  public static func apply(to pid: Int32, level: Level) -> Outcome {
    guard let text = KernelFile.text("/proc/\(pid)/cgroup"),
      let mounts = KernelFile.text("/proc/self/mounts"),
      let group = group(cgroups: text, mounts: mounts)
    else { return .refused("the process has no memory cgroup of its own") }
    if let reason = whyShared(group, with: pid) { return .refused(reason) }
    guard let before = KernelFile.text(group.limit)?.trimmedLine,
      let used = KernelFile.text(group.usage)?.trimmedLine, let usage = Double(used), usage > 0
    else { return .refused("\(group.usage) cannot be read") }
    let limit = Int(usage * level.share) / 4096 * 4096
    guard write("\(limit)", to: group.limit) else {
      return .refused("\(group.limit) cannot be written, or could not be lowered so far")
    }
    usleep(holdMicroseconds)
    if !write(before, to: group.limit), !write(group.unlimited, to: group.limit) {
      return .refused("\(group.limit) was lowered and could not be put back to \(before)")
    }
    return .applied("its memory cgroup was held to \(limit) bytes for half a second")
  }

  /// The memory cgroup in the text of /proc/PID/cgroup; nil for the root, which is everybody's.
  static func group(cgroups: String, mounts: String) -> Group? {
    for line in cgroups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2] != "/", !parts[2].isEmpty else { continue }
      let isFirst = parts[1].split(separator: ",").contains("memory")
      guard isFirst || (parts[0] == "0" && parts[1].isEmpty) else { continue }
      guard let mount = mountPoint(isFirst: isFirst, mounts) else { continue }
      let directory = mount + parts[2]
      if isFirst {
        return Group(
          directory: directory, limit: directory + "/memory.limit_in_bytes",
          usage: directory + "/memory.usage_in_bytes", unlimited: "-1")
      }
      // Only a cgroup with the memory controller has this file.
      guard access(directory + "/memory.high", F_OK) == 0 else { continue }
      return Group(
        directory: directory, limit: directory + "/memory.high",
        usage: directory + "/memory.current", unlimited: "max")
    }
    return nil
  }

  private static func mountPoint(isFirst: Bool, _ mounts: String) -> String? {
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 3 else { continue }
      if isFirst, fields[2] == "cgroup", fields[3].split(separator: ",").contains("memory") {
        return String(fields[1])
      }
      if !isFirst, fields[2] == "cgroup2" { return String(fields[1]) }
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

  private static func write(_ text: String, to path: String) -> Bool {
    let fd = open(path, O_WRONLY | O_CLOEXEC)
    guard fd >= 0 else { return false }
    defer { close(fd) }
    let bytes = Array(text.utf8)
    return Glibc.write(fd, bytes, bytes.count) == bytes.count
  }
}

extension String {
  fileprivate var trimmedLine: String { String(prefix { $0 != "\n" }) }
}
