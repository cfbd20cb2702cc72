import CPerfEvent
import Glibc

/// How large the rings may be, so that those of all CPUs find room in the memory that a user may lock.
///
/// The kernel lets a user lock perf_event_mlock_kb for each CPU in all, and beyond that what RLIMIT_MEMLOCK lets a
/// process lock (perf_mmap in kernel/events/core.c): a first ring that took all would leave the other CPUs without one.
enum RingShare {
  /// All rings together take at most this much; one CPU's at most `largest`.
  ///
  /// 16 MiB hold half a second of 300,000 scheduler events a second of one CPU.
  private static let budget = 512 << 20
  private static let largest = 16 << 20
  static let smallest = 16 << 10
  /// Room for a hundred records that are read at once, in a ring beside the large one.
  static let small = 16 << 10
  /// Room for the switches and samples of a few programs.
  static let besideLooks = 1 << 20

  /// Of each CPU's large ring, a power of two; nil where not even the smallest has room.
  static func bytes(cpus: Int, lockable: Int? = lockable(), page: Int = pageSize) -> Int? {
    var bytes = largest
    while bytes * cpus > budget, bytes > 1 << 20 { bytes /= 2 }
    guard let lockable else { return bytes }
    // Each ring has a page more, for the kernel's counts.
    let room = lockable / max(1, cpus) - small - 2 * page
    while bytes > room, bytes >= smallest { bytes /= 2 }
    return bytes >= smallest ? bytes : nil
  }

  /// The bytes that all rings of this user may take; nil without a limit.
  private static func lockable() -> Int? {
    let privileges = Privileges.current()
    let level = KernelFile.integer("/proc/sys/kernel/perf_event_paranoid") ?? 2
    // The right counts in the initial user namespace alone: PROC_USER_INIT_INO (include/linux/proc_ns.h).
    var namespace = stat()
    let isInitial =
      stat("/proc/self/ns/user", &namespace) == 0 && UInt64(namespace.st_ino) == 0xefff_fffd
    if level < 0 || privileges.mayLock && isInitial { return nil }
    let limit = Int(lull_lockable_bytes())
    guard limit >= 0 else { return nil }
    let each = KernelFile.integer("/proc/sys/kernel/perf_event_mlock_kb") ?? 0
    return (each << 10) * SystemInfo.onlineCPUs().count + limit
  }

  private static var pageSize: Int { max(1, Int(sysconf(Int32(_SC_PAGESIZE)))) }
}
