/// Processes whose first thread has ended while others go on, as after `pthread_exit` in `main`: they end with the last
/// of these.
struct HeadlessProcesses {
  /// When the last thread ended of which that is known, by process.
  private var ends: [Int32: UInt64] = [:]
  private let hasThreads: (Int32) -> Bool

  /// - Parameter hasThreads: whether a process has a living thread beside its first.
  init(
    hasThreads: @escaping (Int32) -> Bool = { pid in
      ProcessProbe.threadIDs(pid: pid).contains { $0 != pid }
    }
  ) {
    self.hasThreads = hasThreads
  }

  /// A thread ended; whether its process did.
  mutating func ended(_ pid: Int32, tid: Int32, at time: UInt64) -> Bool {
    guard pid == tid || ends[pid] != nil else { return false }
    guard !hasThreads(pid) else {
      ends[pid] = max(ends[pid] ?? 0, time)
      return false
    }
    ends[pid] = nil
    return true
  }

  /// Those that have ended since, with the time: the kernel tells a thread's end before it is gone.
  mutating func gone() -> [(pid: Int32, time: UInt64)] {
    guard !ends.isEmpty else { return [] }
    let gone = ends.filter { !hasThreads($0.key) }.map { (pid: $0.key, time: $0.value) }
    for process in gone { ends[process.pid] = nil }
    return gone
  }
}
