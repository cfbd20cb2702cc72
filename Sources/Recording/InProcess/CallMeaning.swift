import CPreloadRing
import Glibc

/// What a call may wait for, by its number and by what its descriptor is.
///
/// A thread that blocks in a call is in the kernel's function for that kind of descriptor. What it waits for is told by
/// that function's name, as it is where the kernel itself tells stacks.
struct CallMeaning {
  /// The kernel's function; nil where the call alone does not tell.
  var function: String?
  /// Nothing but waiting takes time in it.
  var onlyWaits: Bool
  /// Its descriptor does not let it wait.
  var neverWaits = false
  /// What is waited for is known only with the program's functions: event loops and workers wait here too.
  var needsStack = false

  #if arch(arm64)
    enum Number {
      static let makeRing: UInt32 = 425
      static let poll: UInt32 = 73, select: UInt32 = 72, epoll: UInt32 = 22, sleep: UInt32 = 115
      static let signals: CallNumbers = [133, 137]
      static let children: CallNumbers = [260, 95], futex: UInt32 = 98, lock: UInt32 = 32
      static let syncs: CallNumbers = [82, 83, 81, 84, 227, 267]
      static let reads: CallNumbers = [63, 65, 67, 69, 286, 207, 212, 243]
      static let writes: CallNumbers = [64, 66, 68, 70, 287, 71, 285, 76, 206, 211, 269]
      static let plainWrites: CallNumbers = [64, 66]
      static let connect: UInt32 = 203, accept: UInt32 = 242, listen: UInt32 = 201
      static let open: UInt32 = 56, rename: UInt32 = 276, unlink: UInt32 = 35, mmap: UInt32 = 222
      static let close: UInt32 = 57, fsync: UInt32 = 82, fdatasync: UInt32 = 83
      static let manyMessages: CallNumbers = [243, 269],
        messages: CallNumbers = [206, 207, 211, 212]
      static let secondDescriptor: CallNumbers = [285, 76]
      static let duplicates: CallNumbers = [23, 24], control: UInt32 = 25
      static let setTimer: UInt32 = 86, write: UInt32 = 64, splice: UInt32 = 76
      static let joins: CallNumbers = [59, 199]
      static let clone: UInt32 = 220, semaphore: UInt32 = 192
      static let receivesMessage: CallNumbers = [183, 188], sendsMessage: CallNumbers = [182, 189]
    }
  #else
    enum Number {
      static let makeRing: UInt32 = 425
      static let poll: UInt32 = 271, select: UInt32 = 270, epoll: UInt32 = 281, sleep: UInt32 = 230
      static let signals: CallNumbers = [128, 130]
      static let children: CallNumbers = [61, 247], futex: UInt32 = 202, lock: UInt32 = 73
      static let syncs: CallNumbers = [74, 75, 162, 277, 26, 306]
      static let reads: CallNumbers = [0, 17, 19, 295, 327, 45, 47, 299]
      static let writes: CallNumbers = [1, 18, 20, 296, 328, 40, 326, 275, 44, 46, 307]
      static let plainWrites: CallNumbers = [1, 20]
      static let connect: UInt32 = 42, accept: UInt32 = 288, listen: UInt32 = 50
      static let open: UInt32 = 257, rename: UInt32 = 316, unlink: UInt32 = 263, mmap: UInt32 = 9
      static let close: UInt32 = 3, fsync: UInt32 = 74, fdatasync: UInt32 = 75
      static let manyMessages: CallNumbers = [299, 307]
      static let messages: CallNumbers = [44, 45, 46, 47]
      static let secondDescriptor: CallNumbers = [326, 275]
      static let duplicates: CallNumbers = [32, 292], control: UInt32 = 72
      static let setTimer: UInt32 = 286, write: UInt32 = 1, splice: UInt32 = 275
      // Pipes and pairs of sockets.
      static let joins: CallNumbers = [293, 53]
      static let clone: UInt32 = 56, semaphore: UInt32 = 220
      static let receivesMessage: CallNumbers = [243, 70], sendsMessage: CallNumbers = [242, 69]
    }
  #endif

  /// By the call's number.
  private static let fixed: [CallMeaning?] = {
    var all: [UInt32: CallMeaning] = [
      Number.poll: .init(function: "do_sys_poll", onlyWaits: true, needsStack: true),
      Number.select: .init(function: "do_select", onlyWaits: true, needsStack: true),
      Number.epoll: .init(function: "ep_poll", onlyWaits: true),
      Number.sleep: .init(function: "hrtimer_nanosleep", onlyWaits: true),
      Number.futex: .init(function: "futex_wait", onlyWaits: true, needsStack: true),
      Number.semaphore: .init(function: "do_semtimedop", onlyWaits: true),
      Number.lock: .init(function: "__x64_sys_flock", onlyWaits: true),
      Number.open: .init(function: "do_sys_openat2", onlyWaits: false),
      Number.unlink: .init(function: "do_unlinkat", onlyWaits: false),
      Number.rename: .init(function: "do_renameat2", onlyWaits: false),
      Number.close: .init(function: nil, onlyWaits: false),
      // By posix_spawn.
      Number.clone: .init(function: "kernel_clone", onlyWaits: false),
    ]
    for number in Number.signals.numbers {
      all[UInt32(number)] = .init(function: "do_sigtimedwait", onlyWaits: true, needsStack: true)
    }
    for number in Number.receivesMessage.numbers {
      all[UInt32(number)] = .init(function: "do_msgrcv", onlyWaits: true)
    }
    for number in Number.sendsMessage.numbers {
      all[UInt32(number)] = .init(function: "do_msgsnd", onlyWaits: false)
    }
    for number in Number.children.numbers {
      all[UInt32(number)] = .init(function: "do_wait", onlyWaits: true)
    }
    for number in Number.syncs.numbers {
      all[UInt32(number)] = .init(function: "do_fsync", onlyWaits: false)
    }
    return (0..<UInt32(512)).map { all[$0] }
  }()

  /// Of a thread whose process is stopped, whatever call it was in.
  static let stop = CallMeaning(function: "do_signal_stop", onlyWaits: true)

  /// What a call was for that has its result: where there was nothing to read, it need not have waited for that.
  init(_ record: lull_record) {
    self.init(record.number, UInt32(record.descriptor_kind))
    neverWaits = UInt32(record.parts) & lull_part_unblocking.rawValue != 0
    if record.result == -Int64(EAGAIN), Number.reads.contains(record.number) { onlyWaits = false }
  }

  init(function: String?, onlyWaits: Bool, needsStack: Bool = false) {
    self.function = function
    self.onlyWaits = onlyWaits
    self.needsStack = needsStack
  }

  init(_ number: UInt32, _ kind: UInt32) {
    if Self.fixed.indices.contains(Int(number)), let known = Self.fixed[Int(number)] {
      self = known
      return
    }
    let isRead = Number.reads.contains(number)
    let isTransfer = isRead || Number.writes.contains(number)
    let connects = number == Number.connect || number == Number.accept
    let function: String? =
      switch kind {
      case lull_descriptor_pipe.rawValue: isRead ? "pipe_read" : "pipe_write"
      case lull_descriptor_local_socket.rawValue: "unix_stream"
      case lull_descriptor_tcp.rawValue:
        connects ? "inet_stream_connect" : isRead ? "tcp_recvmsg" : "tcp_sendmsg"
      case lull_descriptor_udp.rawValue: isRead ? "udp_recvmsg" : "udp_sendmsg"
      case lull_descriptor_event.rawValue, lull_descriptor_signals.rawValue:
        isRead ? "eventfd_read" : "eventfd_write"
      case lull_descriptor_timer.rawValue: isRead ? "timerfd_read" : nil
      case lull_descriptor_terminal.rawValue: isRead ? "n_tty_read" : "n_tty_write"
      case lull_descriptor_file.rawValue: isRead ? "vfs_read" : "vfs_write"
      default: nil
      }
    let isFile = kind == lull_descriptor_file.rawValue || kind == lull_descriptor_unknown.rawValue
    // To write and to send takes work, and most never wait: a full pipe or socket makes them wait for longer. A call
    // for names is a wait of no known kind.
    self.init(
      function: isTransfer || connects ? function : nil,
      onlyWaits: isRead || connects ? !isFile : number == lull_number_names.rawValue)
  }
}

extension CallMeaning.Number {
  /// Waits for messages and semaphores, of which an error tells that their time was over.
  static func endsByError(_ number: UInt32) -> Bool {
    number == semaphore || receivesMessage.contains(number) || sendsMessage.contains(number)
  }

  /// Calls that a socket's own limit of time may end.
  static func isOfSocket(_ number: UInt32) -> Bool {
    number == accept || number == connect || reads.contains(number) || writes.contains(number)
  }

  /// Calls after which a descriptor stands for something else, or another one for the same.
  static let ofDescriptors = CallNumbers(
    duplicates.numbers.union([close, control, connect, accept, listen].map { Int($0) }))
}
