/// Where a process has its `/`.
///
/// `/proc` tells a process's files as they are called from the reader's own root. To one behind chroot they are called
/// by what follows its root there, which is how the kernel's events tell them, and what `/proc/PID/root` leads to.
struct ProcessRoot {
  /// The root's own path from here; nil where it is ours, or the top of another tree of mounts.
  private let prefix: String?

  init(of pid: Int32) {
    let root = KernelFile.link("/proc/\(pid)/root")
    prefix = root == "/" ? nil : root
  }

  /// What the process itself calls a file.
  func path(_ path: Substring) -> Substring {
    guard let prefix, path.hasPrefix(prefix + "/") else { return path }
    return path.dropFirst(prefix.count)
  }
}
