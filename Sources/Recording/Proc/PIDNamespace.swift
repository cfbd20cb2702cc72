import Glibc

/// The namespace of process ids in which the recorder runs.
///
/// Perf's samples and records name processes by the ids of the namespace in which the event was opened, tracepoints'
/// own fields by those of the initial one (`perf_event_pid` and `task_struct.pid`).
enum PIDNamespace {
  /// PROC_PID_INIT_INO (include/linux/proc_ns.h).
  static let initialInode: UInt64 = 0xefff_fffc

  /// The namespace's inode, which tells it from all others; the initial one's where /proc does not say.
  static let inode: UInt64 = inode(ofProcess: "self") ?? initialInode

  static var isInitial: Bool { inode == initialInode }

  /// Part of names that are the whole machine's and hold an id of a process: empty in the initial namespace.
  static var label: String { isInitial ? "" : "\(inode)_" }

  /// The inode of another process's namespace; nil where it may not be looked at.
  static func inode(ofProcess name: String) -> UInt64? {
    var information = stat()
    guard stat("/proc/\(name)/ns/pid", &information) == 0 else { return nil }
    return UInt64(information.st_ino)
  }

  /// Why the processes in /proc are not those that the kernel's events name; nil where they are.
  static func whyProcIsForeign() -> RecordingError? {
    guard let own = KernelFile.link("/proc/self").flatMap(Int32.init), own != getpid() else {
      return nil
    }
    return RecordingError(
      kind: .unsupported,
      message:
        "/proc shows another PID namespace (this process is \(own) there and \(getpid()) here):"
        + " mount this one's with `mount -t proc proc /proc`, or give `unshare` --mount-proc")
  }
}
