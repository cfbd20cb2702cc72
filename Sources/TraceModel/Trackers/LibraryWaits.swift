/// Tells what a thread waited for by the C library's function that it was in, where the kernel's own functions were not
/// recorded, or have no names.
enum LibraryWaits {
  /// The functions' names as POSIX and Linux have them, with the causes of their waits.
  ///
  /// A read() or write() may be of a file, a pipe or a socket; it is no wait for events in any case.
  static let causes: [String: WaitCause] = {
    let names: [(WaitCause, String)] = [
      (.sleep, "nanosleep clock_nanosleep thrd_sleep usleep sleep"),
      (
        .eventWait,
        "epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect sigsuspend sigtimedwait pause"
      ),
      (
        .network,
        "recv recvfrom recvmsg recvmmsg send sendto sendmsg sendmmsg connect accept accept4"
      ),
      (
        .lock,
        "pthread_mutex_lock pthread_mutex_timedlock pthread_cond_wait pthread_cond_timedwait "
          + "pthread_cond_clockwait pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_join sem_wait "
          + "sem_timedwait sem_clockwait lll_lock_wait lll_lock_wait_private futex_abstimed_wait_common "
          + "futex_abstimed_wait_common64 mtx_lock mtx_timedlock cnd_wait cnd_timedwait thrd_join "
          + "semop semtimedop flock lockf"
      ),
      (.ipc, "mq_receive mq_timedreceive mq_send mq_timedsend msgrcv msgsnd"),
      (.child, "wait wait3 wait4 waitpid waitid"),
      (.sync, "fsync fdatasync sync syncfs msync sync_file_range"),
      (
        .file,
        "open open64 openat openat64 pread pread64 pwrite pwrite64 preadv pwritev getdents64 rename "
          + "unlink ftruncate ftruncate64 fallocate"
      ),
      (.other, "read write readv writev"),
    ]
    return Dictionary(
      names.flatMap { cause, names in names.split(separator: " ").map { (String($0), cause) } },
      uniquingKeysWith: { $1 })
  }()

  /// Frames within which the function stands: it may have called another of the library for the system call.
  private static let depth = 3

  /// Whether the library's functions that wait have such a name: Lull's own are in front of them.
  static func isWait(_ function: String?) -> Bool {
    function.map { causes[plain($0)] != nil } ?? false
  }

  /// The library's function that waits, by the innermost of the user frames; nil where none of them is one.
  static func function(of user: [Frame]) -> String? {
    user.prefix(depth).lazy.compactMap { $0.function.map(plain) }.first { causes[$0] != nil }
  }

  /// The cause by the innermost of the user frames; nil where none of them tells.
  static func cause(of user: [Frame]) -> WaitCause? {
    for frame in user.prefix(depth) {
      guard let function = frame.function.map(plain), let cause = causes[function] else { continue }
      guard polls.contains(function) else { return cause }
      return WaitClassifier.causeOfPoll(user)
    }
    return nil
  }

  /// Waits that are idle only when an event loop made them.
  private static let polls: Set = ["poll", "ppoll", "select", "pselect"]

  /// A name without what the library puts before those of its own: `__GI___poll` is poll.
  static func plain(_ name: String) -> String {
    var rest = name[...]
    var length = -1
    while rest.count != length {
      length = rest.count
      rest = rest.drop { $0 == "_" }
      for prefix in ["GI_", "libc_"] where rest.hasPrefix(prefix) {
        rest = rest.dropFirst(prefix.count)
      }
    }
    return String(rest)
  }
}
