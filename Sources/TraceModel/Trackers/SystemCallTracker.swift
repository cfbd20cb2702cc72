import PerfData

/// Joins the beginnings and ends of system calls (raw_syscalls:sys_enter and sys_exit).
struct SystemCallTracker {
  private(set) var calls = SystemCalls()
  /// The call that each thread is in.
  private var entered = TidTable<(number: Int32, time: Timestamp)>()

  mutating func enter(tid: Int32, number: Int32, at time: Timestamp) {
    entered[tid] = (number, time)
  }

  /// A thread that is new comes back from a call that it did not begin, and after a signal's handler no call is named.
  mutating func exit(
    pid: Int32, tid: Int32, number: Int32, hasFailed: Bool, at time: Timestamp
  ) {
    let beginning = entered.removeValue(forKey: tid).flatMap {
      $0.number == number && time >= $0.time ? $0.time : nil
    }
    guard number >= 0 else { return }
    calls.append(
      SystemCall(
        shape: .init(
          pid: pid, tid: tid, number: number, hasFailed: hasFailed, isTimed: beginning != nil),
        time: time, duration: beginning.map { time - $0 } ?? .zero))
  }
}
