import Quantities

/// Tells from a blocked stack what the thread was waiting for.
///
/// Idle waits are known by the user frames nearest the system call; everything else by the kernel's own functions. Both
/// are tables, so that another runtime or kernel is another row.
package enum WaitClassifier {
  /// A wait that is idle by design: `function` stands within the first `depth` user frames.
  struct IdleSignature {
    var function: String
    var depth: Int
    /// Where the row was seen.
    var seenIn: String
  }

  static let idleSignatures: [IdleSignature] = [
    .init(
      function: "__CFRunLoopServiceFileDescriptors", depth: 4, seenIn: "Foundation of Swift 6.3.1"),
    .init(function: "_dispatch_sigsuspend", depth: 4, seenIn: "libdispatch of Swift 6.3.1"),
    .init(function: "_dispatch_mgr_invoke", depth: 5, seenIn: "libdispatch of Swift 6.3.1"),
    .init(function: "_dispatch_event_loop_drain", depth: 4, seenIn: "libdispatch of Swift 6.3.1"),
    .init(function: "_dispatch_worker_thread", depth: 5, seenIn: "libdispatch of Swift 6.3.1"),
    .init(function: "Epoll.epoll_wait", depth: 5, seenIn: "SwiftNIO 2.101"),
    .init(function: "Selector.whenReady", depth: 8, seenIn: "SwiftNIO 2.101"),
    // A server's main thread that waits for its group or channel to close.
    .init(function: "EventLoopFuture._blockingWait", depth: 14, seenIn: "SwiftNIO 2.101.2"),
    .init(function: "EventLoopFuture.wait", depth: 14, seenIn: "SwiftNIO 2.101.2"),
    .init(function: "g_main_context", depth: 5, seenIn: "GLib 2.74"),
    .init(function: "uv__io_poll", depth: 4, seenIn: "libuv 1.44"),
  ]

  /// Kernel functions, by their beginnings, that name a cause.
  struct KernelRow {
    var cause: WaitCause
    var prefixes: [String]
    /// With whose names those of others begin.
    var names: [String] = []

    func matches(_ function: String) -> Bool {
      names.contains(function) || prefixes.contains { function.hasPrefix($0) }
    }
  }

  /// Kernel functions (prefixes) that name a cause; the first row that any frame of the stack matches wins.
  static let kernelRows: [KernelRow] = [
    .init(
      cause: .sync,
      prefixes: [
        "vfs_fsync", "do_fsync", "__x64_sys_fsync", "__x64_sys_fdatasync", "__x64_sys_sync",
        "__x64_sys_msync", "__do_sys_msync", "ksys_sync", "sync_file_range", "__arm64_sys_fsync",
        "__arm64_sys_fdatasync", "generic_write_sync",
      ]
    ),
    .init(
      cause: .sleep,
      prefixes: ["hrtimer_nanosleep", "do_nanosleep", "common_nsleep", "timerfd_read"]),
    // do_wait_intr and do_wait_intr_irq are of many that wait for something else.
    .init(
      cause: .child,
      // Who begins a process by vfork waits until that runs its program.
      prefixes: ["kernel_wait4", "__do_sys_waitid", "kernel_waitid", "kernel_clone"],
      names: ["do_wait", "__do_wait"]),
    .init(
      cause: .ipc,
      prefixes: [
        "unix_", "__unix_", "pipe_read", "pipe_write", "anon_pipe_", "pipe_wait", "eventfd_",
        "n_tty_",
        "tty_", "netlink_", "fifo_open", "wait_for_partner",
        // Messages of POSIX and of System V.
        "do_mq_", "wq_sleep", "do_msg", "ksys_msg",
        // Who serves a file system of FUSE waits for what is asked of it.
        "fuse_dev_",
      ]
    ),
    .init(
      cause: .network,
      prefixes: [
        "tcp_", "udp_", "udpv6_", "inet_", "inet6_", "sk_wait", "sk_stream_wait",
        "__skb_wait_for_more_packets", "__skb_recv", "sock_recvmsg", "sock_sendmsg",
        "lock_sock_nested", "__lock_sock",
      ]
    ),
    .init(
      cause: .lock,
      prefixes: [
        "futex_", "do_futex", "__futex", "__x64_sys_futex", "do_semtimedop", "__do_semtimedop",
        "ksys_sem",
        // A file's lock is another's until that lets go, whatever the disk does.
        "fcntl_setlk", "do_lock_file_wait", "locks_lock", "flock_", "__x64_sys_flock",
        "__do_sys_flock", "__arm64_sys_flock",
      ]),
    .init(
      cause: .eventWait,
      prefixes: [
        "ep_poll", "do_epoll_", "do_sys_poll", "do_poll", "do_select", "core_sys_select",
        "io_cqring_wait", "__x64_sys_rt_sigsuspend", "sigsuspend", "do_sigtimedwait",
        "__x64_sys_pause",
      ]
    ),
    .init(
      cause: .file,
      prefixes: [
        "io_schedule", "folio_wait", "ext4_", "xfs_", "btrfs_", "f2fs_", "jbd2_", "blkdev_",
        "iomap_", "generic_file_", "filemap_", "balance_dirty_pages", "wbt_wait", "rq_qos_wait",
        "submit_bio", "do_sys_openat2", "do_filp_open", "path_", "lookup_", "iterate_dir",
        "do_renameat2", "do_unlinkat", "vfs_open",
        // A block, or an inode that is being read.
        "bit_wait", "__wait_on_bit", "__wait_on_buffer", "inode_",
        // Those whose servers are waited for, by the file systems' own functions.
        "fuse_", "nfs_", "nfs4_", "rpc_wait_", "ovl_", "p9_", "v9fs_", "netfs_", "cifs_", "smb2_",
        "ceph_", "afs_",
      ]
    ),
    // What waits as it handles a signal is held there until SIGCONT or until its group is thawed.
    .init(cause: .stopped, prefixes: ["do_signal_stop", "do_freezer_trap", "get_signal"]),
  ]

  /// Where all that has a descriptor is read and written.
  static let transfers = KernelRow(
    cause: .file,
    prefixes: ["vfs_read", "vfs_write", "ksys_read", "ksys_write", "ksys_pread", "ksys_pwrite"])

  /// What waits within the kernel, whoever calls it.
  private static let schedulers = ["schedule", "__schedule", "wait_woken"]
  private static let kernelLocks = [
    "rwsem_", "down_", "__down_", "mutex_", "__mutex_", "percpu_", "__percpu_", "rwbase_",
    "rt_mutex_", "__rt_mutex_",
  ]

  /// What a call that transfers waited for; `inner` are the functions within it.
  ///
  /// A file of a disk is read by functions that are known, or where locks of the kernel's are held. What has its own
  /// function that just waits until there is something is no such file, but a queue (signalfd, inotify, a device's).
  private static func causeOfTransfer(_ inner: some Collection<String>) -> WaitCause {
    func holds(_ prefixes: [String]) -> (String) -> Bool {
      { name in prefixes.contains { name.hasPrefix($0) } }
    }
    if inner.contains(where: holds(kernelLocks)) { return .file }
    return inner.allSatisfy(holds(schedulers)) ? .file : .ipc
  }

  /// A fault is the outermost of the kernel's functions: the program had not called it.
  static let faultFunctions = ["exc_page_fault", "do_user_addr_fault", "do_page_fault"]

  /// Functions of a poll-like wait, which is idle only when an event loop made it.
  private static let pollFunctions = ["do_sys_poll", "do_poll", "do_select", "core_sys_select"]

  /// What a recording within the process says of time off the CPU in no call that it saw.
  static let outOfCalls = "off_cpu_out_of_calls"

  /// What the stack's thread waited for; `frames` innermost first, kernel frames first.
  static func cause(of frames: [Frame]) -> WaitCause {
    let kernel = frames.prefix { $0.isKernel }.compactMap(\.function)
    let user = Array(frames.drop { $0.isKernel })
    if isIdle(user) { return WaitsWithinWork.cause(of: user) ?? .eventWait }
    if kernel.isEmpty {
      return LibraryWaits.cause(of: user) ?? (BlockingCalls.holds(user) ? .network : .unknown)
    }
    if kernel.suffix(4).contains(where: { name in faultFunctions.contains { name.hasSuffix($0) } })
    {
      return .pageFault
    }
    if kernel.first == outOfCalls { return .unknown }
    for row in kernelRows where kernel.contains(where: { row.matches($0) }) {
      guard row.cause == .eventWait else { return row.cause }
      if BlockingCalls.holds(user) { return .network }
      return isPoll(kernel) && isOfProgram(user) ? .other : .eventWait
    }
    if let transfer = kernel.firstIndex(where: transfers.matches) {
      return causeOfTransfer(kernel[..<transfer])
    }
    // Other calls with a descriptor, such as mmap.
    return kernel.contains { $0.hasPrefix("ksys_") } ? .file : .other
  }

  /// Whether a function's name is one by which an idle wait is known.
  package static func isIdleFunction(_ function: String?) -> Bool {
    guard let function else { return false }
    return idleSignatures.contains { function.holds($0.function) }
  }

  /// The first of the user frames show an event loop.
  static func isIdle(_ user: [Frame]) -> Bool {
    idleSignatures.contains { row in
      user.prefix(row.depth).contains { $0.function?.holds(row.function) == true }
    }
  }

  /// What a poll-like wait was for, by the functions that made it.
  static func causeOfPoll(_ user: [Frame]) -> WaitCause {
    if BlockingCalls.holds(user) { return .network }
    return isOfProgram(user) ? .other : .eventWait
  }

  private static func isPoll(_ kernel: [String]) -> Bool {
    kernel.contains { name in pollFunctions.contains { name.hasPrefix($0) } }
  }

  /// Called straight from the program's own code, outside any event loop we know.
  ///
  /// Where the caller has no name, or is another library's, it may be an event loop's, whoever called that: an
  /// interpreter comes to its own by paths of which some have names and others not (CPython 3.11 takes another after
  /// eight times).
  private static func isOfProgram(_ user: [Frame]) -> Bool {
    let caller = user.prefix(3).first {
      $0.isProgram || $0.module != user[0].module && !LibraryWaits.isWait($0.function)
    }
    return caller.map { $0.isProgram && $0.function != nil } ?? false
  }
}
