import Glibc

/// What recordings by Lull leave when they end.
///
/// The kernel takes two seconds to close their events, and meanwhile holds up the forks of who records too. Lull waits
/// for that; who records with perf does not.
package enum EarlierRecordings {
  /// Waits until all is taken back, for ten seconds at most.
  package static func settle() {
    let files = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"].map {
      open($0 + "/uprobe_profile", O_RDONLY | O_CLOEXEC)
    }
    defer { for file in files where file >= 0 { close(file) } }
    guard let file = files.first(where: { $0 >= 0 }) else {
      usleep(2_500_000)
      return
    }
    var tries = 0
    while flock(file, LOCK_EX | LOCK_NB) != 0, tries < 1000 {
      usleep(10_000)
      tries += 1
    }
  }
}
