import CPreloadRing
import PerfData

/// Numbers of calls that wait for the same as others do, by which `CallMeaning` knows them.
enum OutsideMeaning {
  #if arch(arm64)
    private static let same: [Int: UInt32] = [
      441: 22, 193: 192, 286: 69, 287: 70, 449: 98, 455: 98,
    ]
    private static let control = 25
    /// Calls whose first argument is a descriptor that tells what is waited for.
    static let ofDescriptors: Set<Int> = [
      63, 65, 67, 69, 207, 212, 243, 64, 66, 68, 70, 206, 211, 269, 203, 202, 242, 71, 76, 285, 286,
      287,
    ]
  #else
    private static let same: [Int: UInt32] = [
      // poll, select, epoll_wait, epoll_pwait2
      7: 271, 23: 270, 232: 281, 441: 281,
      // nanosleep, pause, semop, wait4, the other futexes
      35: 230, 34: 130, 65: 220, 61: 61, 449: 202, 455: 202,
      // accept, open, creat, rename, renameat, unlink, preadv2
      43: 288, 2: 257, 85: 257, 82: 316, 264: 316, 87: 263, 327: 295,
    ]
    private static let control = 72
    /// Calls whose first argument is a descriptor that tells what is waited for.
    static let ofDescriptors: Set<Int> = [
      0, 17, 19, 295, 327, 45, 47, 299, 1, 18, 20, 296, 328, 40, 44, 46, 307, 42, 43, 288, 275, 326,
    ]
  #endif
  /// F_SETLKW and F_OFD_SETLKW.
  private static let lockWaits: Set<UInt64> = [7, 38]

  /// What a call waits for; nil where its number does not tell.
  static func meaning(of call: OutsideCall, _ kind: lull_descriptor_kind) -> CallMeaning? {
    guard let number = call.number, number >= 0 else { return nil }
    var known = same[number] ?? UInt32(clamping: number)
    if number == control {
      guard lockWaits.contains(call.second) else { return nil }
      known = CallMeaning.Number.lock
    }
    let meaning = CallMeaning(known, kind.rawValue)
    return meaning.function == nil && !meaning.needsStack ? nil : meaning
  }

  /// The kernel's function of a wait: that of the call, or else the one it is in; nil where nothing tells what the wait
  /// is for, or where that takes a stack which is not there.
  static func function(
    of call: OutsideCall, _ kind: lull_descriptor_kind, hasStack: Bool, waitsIn: String?
  ) -> String? {
    if call.number == -1 { return "exc_page_fault" }
    if let meaning = meaning(of: call, kind) {
      return meaning.needsStack && !hasStack ? nil : meaning.function
    }
    guard let name = waitsIn else { return nil }
    // Event loops and workers wait there too.
    let needsStack = [
      "futex", "do_futex", "do_sys_poll", "do_poll", "do_select", "do_sigtimedwait",
    ]
    return needsStack.contains { name.hasPrefix($0) } && !hasStack ? nil : name
  }
}

/// What descriptors of a process are, as far as waits on them are told by it.
struct OutsideDescriptors {
  private let pid: Int32
  /// Inodes of sockets by what they are.
  private var sockets: [UInt64: lull_descriptor_kind] = [:]
  private var nextReading: UInt64 = 0

  private static let interval: UInt64 = 200_000_000
  /// The tables of sockets in the process's network namespace, with the column of the inode.
  private static let tables: [(file: String, kind: lull_descriptor_kind, column: Int)] = [
    ("tcp", lull_descriptor_tcp, 9), ("tcp6", lull_descriptor_tcp, 9),
    ("udp", lull_descriptor_udp, 9), ("udp6", lull_descriptor_udp, 9),
    ("unix", lull_descriptor_local_socket, 6),
  ]

  init(pid: Int32) { self.pid = pid }

  mutating func kind(of descriptor: UInt64, now: UInt64) -> lull_descriptor_kind {
    guard let number = Int(exactly: descriptor & 0xffff_ffff),
      let found = DescriptorTable.inspect(pid: pid, fd: number)
    else { return lull_descriptor_unknown }
    switch found.kind {
    case .pipe: return lull_descriptor_pipe
    case .socket: return socket(found.path, now: now)
    case .terminal: return lull_descriptor_terminal
    case .device: return lull_descriptor_device
    case .regular, .tmpfs, .proc: return lull_descriptor_file
    default:
      // What is no file but is read gives events, as of a signalfd or of inotify.
      guard found.path.hasPrefix("anon_inode:") else { return lull_descriptor_unknown }
      return found.path == "anon_inode:[timerfd]" ? lull_descriptor_timer : lull_descriptor_event
    }
  }

  /// By its name, `socket:[INODE]`.
  private mutating func socket(_ name: String, now: UInt64) -> lull_descriptor_kind {
    guard let inode = UInt64(name.dropFirst(8).dropLast(1)) else { return lull_descriptor_unknown }
    if let known = sockets[inode] { return known }
    guard now >= nextReading else { return lull_descriptor_unknown }
    nextReading = now + Self.interval
    sockets = [:]
    for (file, kind, column) in Self.tables {
      for line in (KernelFile.text("/proc/\(pid)/net/\(file)") ?? "").split(separator: "\n") {
        let fields = line.split(separator: " ", maxSplits: column + 1)
        if fields.count > column, let inode = UInt64(fields[column]) { sockets[inode] = kind }
      }
    }
    return sockets[inode] ?? lull_descriptor_other_socket
  }
}
