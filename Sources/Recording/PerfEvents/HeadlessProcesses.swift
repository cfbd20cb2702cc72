/// Processes whose first thread has ended while others go on, as after `pthread_exit` in `main`: they end with the last
/// of these. One that runs another program from another thread goes on as that: the thread takes the first one's place.
struct HeadlessProcesses {
  /// When the last thread ended of which that is known, by process.
  private var ends: [Int32: UInt64] = [:]
  private let lives: (Int32) -> Bool

  /// - Parameter lives: whether a process has a thread that has not come to its end.
  init(lives: @escaping (Int32) -> Bool = Self.lives) { self.lives = lives }

  /// PF_EXITING: on its way to its end.
  private static let isExiting: UInt64 = 4

  private static func lives(_ pid: Int32) -> Bool {
    if ProcessProbe.threadIDs(pid: pid).contains(where: { $0 != pid }) { return true }
    guard let first = ProcessStatistics(pid: pid) else { return false }
    return first.state != "Z" && first.state != "X" && first.flags & isExiting == 0
  }

  /// A thread ended; whether its process did.
  mutating func ended(_ pid: Int32, tid: Int32, at time: UInt64) -> Bool {
    guard pid == tid || ends[pid] != nil else { return false }
    guard !lives(pid) else {
      ends[pid] = max(ends[pid] ?? 0, time)
      return false
    }
    ends[pid] = nil
    return true
  }

  /// Those that have ended since, with the time: the kernel tells a thread's end before it is gone.
  mutating func gone() -> [(pid: Int32, time: UInt64)] {
    guard !ends.isEmpty else { return [] }
    let gone = ends.filter { !lives($0.key) }.map { (pid: $0.key, time: $0.value) }
    for process in gone { ends[process.pid] = nil }
    return gone
  }

  /// A process runs another program: nothing of the one before goes on.
  mutating func executed(_ pid: Int32) { ends[pid] = nil }
}
