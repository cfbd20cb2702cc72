import Foundation

/// Uses the CPU for so many seconds of this thread.
public func spin(_ seconds: Double) {
  var start = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
  var now = start
  while Double(now.tv_sec - start.tv_sec) + Double(now.tv_nsec - start.tv_nsec) / 1e9 < seconds {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
  }
}

/// Writes so many bytes to a file that is gone afterwards.
public func write(_ bytes: Int) throws {
  let file = URL(fileURLWithPath: "/var/tmp/lull-tested-\(getpid())-\(bytes)")
  try Data(count: bytes).write(to: file)
  try FileManager.default.removeItem(at: file)
}
