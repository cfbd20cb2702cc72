/// How long threads waited for a CPU, by /proc, since that was last asked for.
struct RunDelays {
  private var last: [Int32: UInt64] = [:]
  /// What was asked for in this round and not taken yet.
  var left: [Int32: UInt64] = [:]

  /// Takes as much of a thread's wait as it is known to have queued for a CPU; nil where nothing is known any longer.
  mutating func take(upTo length: UInt64, pid: Int32, tid: Int32) -> UInt64? {
    // To ask takes longer than all else that is done for a wait, and in a round the answer is the same.
    guard let known = left[tid] ?? since(pid: pid, tid: tid) else { return nil }
    let taken = min(known, length)
    left[tid] = known - taken
    return taken
  }

  /// What was not taken by now were the queues after wakes.
  mutating func endRound() { left.removeAll(keepingCapacity: true) }

  /// Nanoseconds in queues for a CPU (the second number of schedstat) since the last question; nil where it is gone.
  ///
  /// It holds what a thread waited for after it was woken as well, which is its wait's.
  mutating func since(pid: Int32, tid: Int32) -> UInt64? {
    guard let bytes = KernelFile.bytes("/proc/\(pid)/task/\(tid)/schedstat") else { return nil }
    let numbers = bytes.split(separator: UInt8(ascii: " "))
    guard numbers.count >= 2, let total = ProcFields.number(numbers[1]) else { return nil }
    let before = last.updateValue(total, forKey: tid)
    return before.map { total >= $0 ? total - $0 : total } ?? total
  }

  mutating func forget(_ tid: Int32) {
    last[tid] = nil
    left[tid] = nil
  }
}
