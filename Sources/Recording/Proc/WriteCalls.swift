/// How many system calls that write the recorded processes made, by /proc: exactly, whatever was recorded of them.
///
/// The kernel counts there write, writev, pwrite64, pwritev, pwritev2, sendfile and copy_file_range, whatever they write to
/// and whether or not they succeed (fs/read_write.c).
final class WriteCalls {
  /// The count of each running process when its recording began.
  private var running: [Int32: UInt64] = [:]
  private var ended: UInt64 = 0
  /// A process may be gone before its count is read.
  private var isExact = true
  private let read: (Int32) -> UInt64?

  /// `read` gives a process's count; nil when it cannot be had.
  init(read: @escaping (Int32) -> UInt64? = WriteCalls.ofProcess) {
    self.read = read
  }

  /// A process that was there before recording began.
  func found(_ pid: Int32) {
    if let count = read(pid) { running[pid] = count } else { isExact = false }
  }

  /// A process that a recorded one created: it counts from 0.
  func created(_ pid: Int32) { running[pid] = 0 }

  /// Call it as soon as the end is known: the count is there until its parent has asked for its status.
  func ended(_ pid: Int32) {
    guard let base = running.removeValue(forKey: pid) else { return }
    if let count = read(pid) { ended &+= count &- base } else { isExact = false }
  }

  /// The calls so far; nil where one of the processes could not be read.
  var total: UInt64? {
    guard isExact else { return nil }
    var sum = ended
    for (pid, base) in running {
      guard let count = read(pid) else { return nil }
      sum &+= count &- base
    }
    return sum
  }

  private static func ofProcess(_ pid: Int32) -> UInt64? {
    guard let bytes = KernelFile.bytes("/proc/\(pid)/io") else { return nil }
    var calls: UInt64?
    ProcFields.forEachLine(of: bytes[...]) { line in
      if let value = ProcFields.value("syscw:", in: line) { calls = value }
    }
    return calls
  }
}
