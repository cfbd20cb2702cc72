/// What one source sees that others want to know, besides being written.
enum Observation {
  case processBegan(pid: Int32, parentPid: Int32, time: UInt64)
  case processExecuted(pid: Int32, name: String, time: UInt64)
  case processEnded(pid: Int32, time: UInt64)
  /// `inode` where the file has no build id by which it is told from others that were at its path.
  case fileMapped(pid: Int32, path: String, inode: UInt64?, time: UInt64)
  case systemCall(pid: Int32, tid: Int32, time: UInt64, call: SystemCallResult)
  /// A path that a thread is about to open.
  case pathOpening(tid: Int32, time: UInt64, path: String)
  /// Where a process works from now on, as it told itself.
  case moved(pid: Int32, folder: String, time: UInt64)
  /// Where it goes to work, as it named that: links may be in it, and it may begin at where it worked before.
  case moving(pid: Int32, path: String, time: UInt64)
  /// How much memory a process holds.
  case memoryRead(pid: Int32, footprint: UInt64, time: UInt64)
  /// There was a time in which nothing of all this was seen, as between two slices.
  case gap

  /// When it happened.
  var time: UInt64 {
    switch self {
    case .processBegan(_, _, let time), .processExecuted(_, _, let time),
      .processEnded(_, let time), .systemCall(_, _, let time, _), .pathOpening(_, let time, _),
      .memoryRead(_, _, let time), .fileMapped(_, _, _, let time), .moved(_, _, let time),
      .moving(_, _, let time):
      time
    case .gap: 0
    }
  }
}

/// A system call with what is looked at of its arguments.
struct SystemCallResult {
  var number: Int64
  var result: Int64
  var first: UInt64
  var second: UInt64
  var third: UInt64
}
