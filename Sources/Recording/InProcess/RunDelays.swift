/// How long threads waited for a CPU, by /proc, since that was last asked for.
struct RunDelays {
  private var last: [Int32: UInt64] = [:]
  /// What was asked for in this round and not taken yet.
  private var left: [Int32: UInt64] = [:]

  /// Takes as much of a thread's wait as it is known to have queued for a CPU.
  mutating func take(upTo length: UInt64, pid: Int32, tid: Int32) -> UInt64 {
    // To ask takes longer than all else that is done for a wait, and in a round the answer is the same.
    let known = left[tid] ?? since(pid: pid, tid: tid)
    let taken = min(known, length)
    left[tid] = known - taken
    return taken
  }

  /// What was not taken by now were the queues after wakes.
  mutating func endRound() { left.removeAll(keepingCapacity: true) }

  /// Nanoseconds in queues for a CPU (the second number of schedstat) since the last question; 0 where it is gone.
  ///
  /// It holds what a thread waited for after it was woken as well, which is its wait's.
  mutating func since(pid: Int32, tid: Int32) -> UInt64 {
    guard let bytes = KernelFile.bytes("/proc/\(pid)/task/\(tid)/schedstat") else { return 0 }
    let numbers = bytes.split(separator: UInt8(ascii: " "))
    guard numbers.count >= 2, let total = ProcFields.number(numbers[1]) else { return 0 }
    let before = last.updateValue(total, forKey: tid)
    return before.map { total >= $0 ? total - $0 : total } ?? total
  }

  mutating func forget(_ tid: Int32) {
    last[tid] = nil
    left[tid] = nil
  }
}
