import CBPF
import Glibc

/// Which system calls' results are recorded, by their x86-64 or arm64 numbers.
enum SystemCallFilter {
  #if arch(arm64)
    static let write = 64
    /// Numbers of asm-generic/unistd.h.
    static let wanted: CallNumbers = [
      2,  // io_submit
      23, 24, 25,  // dup, dup3, fcntl (which duplicates too)
      35,  // unlinkat
      38,  // renameat
      45, 46,  // truncate, ftruncate
      47,  // fallocate
      49, 50,  // chdir, fchdir
      56, 57,  // openat, close
      64, 66, 68, 70,  // write, writev, pwrite64, pwritev
      71,  // sendfile
      76,  // splice
      81, 82, 83, 84,  // sync, fsync, fdatasync, sync_file_range
      198, 202, 242,  // socket, accept, accept4
      227, 267,  // msync, syncfs
      276,  // renameat2
      285, 287,  // copy_file_range, pwritev2
      426, 436, 437,  // io_uring_enter, close_range, openat2
    ]
    static let fileWrites: CallNumbers = [
      63, 67, 64, 66, 68, 70, 71, 76, 285, 287, 45, 46, 47, 82, 83, 84,
    ]
    /// What /proc/PID/io counts as writing: see `WriteCalls`.
    static let countedWrites: CallNumbers = [64, 66, 68, 70, 71, 285, 287]
    static let opens: CallNumbers = [56, 437]
    static let close: Int64 = 57
    static let directoryChanges: CallNumbers = [49, 50]
    /// chdir, which names a path.
    static let directoryChange: Int64 = 49
    static let duplicates: CallNumbers = [23, 24]
    static let control: Int64 = 25
    static let copyFileRange: Int64 = 285
    static let memorySync: UInt32 = 227
    static let splice: Int64 = 76
    static let closeRange: Int64 = 436
    static let eventWaits: [Int] = [
      22, 72, 73,  // epoll_pwait, pselect6, ppoll
      133, 137, 441,  // rt_sigsuspend, rt_sigtimedwait, epoll_pwait2
    ]
  #else
    static let write = 1
    /// Numbers of arch/x86/entry/syscalls/syscall_64.tbl.
    static let wanted: CallNumbers = [
      1, 2, 3,  // write, open, close
      18, 20, 26,  // pwrite64, writev, msync
      32, 33,  // dup, dup2
      40, 41, 43,  // sendfile, socket, accept
      72,  // fcntl, which duplicates too
      74, 75, 76, 77,  // fsync, fdatasync, truncate, ftruncate
      80, 81,  // chdir, fchdir
      82, 85, 87,  // rename, creat, unlink
      162, 209,  // sync, io_submit
      257, 263, 264,  // openat, unlinkat, renameat
      275, 277,  // splice, sync_file_range
      285, 288, 292, 296, 306,  // fallocate, accept4, dup3, pwritev, syncfs
      316, 326, 328,  // renameat2, copy_file_range, pwritev2
      426, 436, 437,  // io_uring_enter, close_range, openat2
    ]
    static let fileWrites: CallNumbers = [
      1, 18, 20, 40, 74, 75, 77, 275, 277, 285, 296, 326, 328,
    ]
    /// What /proc/PID/io counts as writing: see `WriteCalls`.
    static let countedWrites: CallNumbers = [1, 18, 20, 40, 296, 326, 328]
    static let opens: CallNumbers = [2, 85, 257, 437]
    static let close: Int64 = 3
    static let directoryChanges: CallNumbers = [80, 81]
    /// chdir, which names a path.
    static let directoryChange: Int64 = 80
    static let duplicates: CallNumbers = [32, 33, 292]
    static let control: Int64 = 72
    static let copyFileRange: Int64 = 326
    static let memorySync: UInt32 = 26
    static let splice: Int64 = 275
    static let closeRange: Int64 = 436
    static let eventWaits: [Int] = [
      7, 23,  // poll, select
      128, 130,  // rt_sigtimedwait, rt_sigsuspend
      232, 270, 271, 281, 441,  // epoll_wait, pselect6, ppoll, epoll_pwait, epoll_pwait2
    ]
  #endif

  /// A tracefs filter on the field `id` that a call is put through in few comparisons.
  ///
  /// The kernel evaluates left to right: a plain list of 35 numbers would make a `read`, which is
  /// not among them, pay for all; write, the most frequent wanted one, comes first. Other calls that failed did
  /// nothing: a program that closes all descriptors which there may be makes a million of them.
  static var expression: String {
    "id==\(write)||(ret>=0&&(" + tree(ranges(wanted.numbers.filter { $0 != write }.sorted())[...])
      + "))"
      + "||" + largeReads
  }

  /// The filter for calls that write to a file or sync one, and for large reads.
  static var writesExpression: String {
    "id==\(write)||("
      + tree(ranges(fileWrites.numbers.filter { $0 != write }.sorted())[...])
      + ")||" + largeReads
  }

  private static var largeReads: String {
    "(ret>=\(largeRead)&&(id==\(reads.plain)||id==\(reads.positioned)))"
  }

  /// The filter for calls in which a thread waits for whatever comes next.
  static var eventWaitsExpression: String { tree(ranges(eventWaits)[...]) }

  /// Of perf's events, which cannot tell what is a file, reads of less would cost more than they say.
  static let largeRead = 65536

  #if arch(arm64)
    static let reads: (plain: Int64, positioned: Int64) = (63, 67)
    /// read, readv, pread64, preadv, preadv2.
    static let fileReads: CallNumbers = [63, 65, 67, 69, 286]
    /// Those whose first word is there as they end: arm64 has put the result in its place.
    static let smallReads: CallNumbers = []
    static let paths: (first: [Int], second: [Int], two: [Int]) = (
      [], [35, 38, 56, 276, 437], [38, 276]
    )
    static let spinning: [Int] = []
    /// Of those that come back with nothing, semtimedop, which may have waited.
    static let timeouts: (third: [Int], fourth: [Int]) = ([], [192])
    /// Calls of which EAGAIN says that they would have to wait.
    static let attempts: [Int] = [
      25, 32,  // fcntl, flock
      63, 64, 65, 66, 67, 68,  // read, write, readv, writev, pread64, pwrite64
      69, 70, 71,  // preadv, pwritev, sendfile
      75, 76, 77,  // vmsplice, splice, tee
      182, 183, 189, 192, 193,  // mq_timedsend, mq_timedreceive, msgsnd, semtimedop, semop
      202, 203, 206, 207,  // accept, connect, sendto, recvfrom
      211, 212, 242, 243, 269,  // sendmsg, recvmsg, accept4, recvmmsg, sendmmsg
      278, 286, 287,  // getrandom, preadv2, pwritev2
    ]
    /// arm64 has no registers left that would tell a poll's timeout.
    static let spins: String? = nil
  #else
    static let reads: (plain: Int64, positioned: Int64) = (0, 17)
    /// read, pread64, readv, preadv, preadv2.
    static let fileReads: CallNumbers = [0, 17, 19, 295, 327]
    /// Those whose first word is there as they end.
    static let smallReads = fileReads
    /// Calls that name a file by their first word, by the second, and those among them that name another by the next
    /// but one; of the first kind by the next.
    static let paths: (first: [Int], second: [Int], two: [Int]) = (
      [2, 80, 82, 85, 87], [257, 263, 264, 316, 437], [82, 264, 316]
    )
    /// sched_yield, and poll, epoll_wait, epoll_pwait that found nothing.
    static let spinning = [7, 24, 232, 281]
    /// Of these and semtimedop, those that were given a time to wait by their third word, and by the fourth.
    static let timeouts: (third: [Int], fourth: [Int]) = ([7], [220, 232, 281])
    /// Calls of which EAGAIN says that they would have to wait. Of others it says that a value has changed (futex), a
    /// time is over (rt_sigtimedwait) or there is no more to be had (clone, mmap).
    static let attempts: [Int] = [
      0, 1, 17, 18, 19, 20, 40,  // read, write, pread64, pwrite64, readv, writev, sendfile
      42, 43, 44, 45, 46, 47,  // connect, accept, sendto, recvfrom, sendmsg, recvmsg
      65, 69, 72, 73, 220,  // semop, msgsnd, fcntl, flock, semtimedop
      242, 243, 275, 276, 278,  // mq_timedsend, mq_timedreceive, splice, tee, vmsplice
      288, 295, 296, 299, 307,  // accept4, preadv, pwritev, recvmmsg, sendmmsg
      318, 327, 328,  // getrandom, preadv2, pwritev2
    ]
    /// sched_yield, what would block (EAGAIN, 11), and poll, epoll_wait, epoll_pwait that found nothing.
    static var spins: String? {
      "id==24||(ret==-11&&(\(tree(ranges(attempts)[...]))))||(ret==0&&(id==7||id==232||id==281))"
    }
  #endif

  private static func ranges(_ numbers: [Int]) -> [ClosedRange<Int>] {
    var result: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = result.last, last.upperBound + 1 == number {
        result[result.count - 1] = last.lowerBound...number
      } else {
        result.append(number...number)
      }
    }
    return result
  }

  private static func tree(_ ranges: ArraySlice<ClosedRange<Int>>) -> String {
    guard let first = ranges.first else { return "id<0" }
    if ranges.count == 1 {
      return first.count == 1
        ? "id==\(first.lowerBound)" : "(id>=\(first.lowerBound)&&id<=\(first.upperBound))"
    }
    let middle = ranges.index(ranges.startIndex, offsetBy: ranges.count / 2)
    let pivot = ranges[middle].lowerBound
    return "((id<\(pivot)&&\(tree(ranges[..<middle])))||(id>=\(pivot)&&\(tree(ranges[middle...]))))"
  }
}

extension SystemCallFilter {
  /// Whether a call says something about what a descriptor stands for.
  static func matters(_ number: Int64) -> Bool {
    fileWrites.contains(number) || isRead(number)
      || opens.contains(number) || number == close
      || duplicates.contains(number) || number == closeRange || number == control
      || directoryChanges.contains(number)
  }

  /// The descriptors of the folders at which the paths begin that a call named, the working folder's where it takes
  /// none.
  static func folders(of call: lull_kernel_call_record) -> [Int32] {
    guard paths.second.contains(Int(call.number)) else { return [AT_FDCWD, AT_FDCWD] }
    return [call.words.0, call.words.2].map { Int32(truncatingIfNeeded: $0) }
  }

  static func isRead(_ number: Int64) -> Bool { fileReads.contains(number) }

  /// Whether a call made a further descriptor for an open file: its result.
  static func isDuplicate(_ call: SystemCallResult) -> Bool {
    // F_DUPFD and F_DUPFD_CLOEXEC of fcntl.
    duplicates.contains(call.number)
      || call.number == control && (call.second == 0 || call.second == 1030)
  }

  /// Which argument names the descriptor that a call writes to.
  static func writtenDescriptor(_ call: SystemCallResult) -> UInt64 {
    call.number == copyFileRange || call.number == splice ? call.third : call.first
  }
}
