import PerfData

/// Joins the beginnings and ends of system calls (raw_syscalls:sys_enter and sys_exit), and counts them by thread and call.
struct SystemCallTracker {
  private struct Key: Hashable {
    var call: SystemCall.Key
    /// Which of the process's programs made it.
    var program: Int32
  }

  private struct Thread {
    var program: Int32
    /// The call that it is in; -1 where it is in none.
    var number: Int32 = -1
    var since = Timestamp(nanoseconds: 0)
  }

  /// Calls that end outside are not counted.
  var window = Timestamp(nanoseconds: 0)...Timestamp(nanoseconds: .max)
  private var numbering = Numbering<Key>()
  private var totals: ContiguousArray<SystemCall.Totals> = []
  private var threads = TidTable<Thread>()
  /// The number of each process's present program; of most it is 0.
  private var programs: [Int32: Int32] = [:]

  mutating func enter(pid: Int32, tid: Int32, number: Int32, at time: Timestamp) {
    let slot = slot(of: tid, pid)
    threads.values[slot]?.number = number
    threads.values[slot]?.since = time
  }

  /// A thread that is new comes back from a call that it did not begin, and after a signal's handler no call is named.
  mutating func exit(
    pid: Int32, tid: Int32, number: Int32, hasFailed: Bool, at time: Timestamp
  ) {
    let slot = slot(of: tid, pid)
    guard let thread = threads.values[slot] else { return }
    threads.values[slot]?.number = -1
    guard number >= 0, window.contains(time) else { return }
    let key = Key(
      call: .init(pid: pid, tid: tid, number: number), program: thread.program)
    let place = numbering.number(of: key, hint: Int(tid) &+ 61 &* Int(number))
    if place == totals.count { totals.append(.init()) }
    let isTimed = thread.number == number && time >= thread.since
    totals[place].add(hasFailed: hasFailed, isTimed ? time - thread.since : nil)
  }

  /// A thread begins, perhaps with the id of one that ended.
  mutating func begin(tid: Int32) { _ = threads.removeValue(forKey: tid) }

  /// A process runs a new program, in the thread that has the process's id.
  mutating func exec(pid: Int32) {
    let program = programs[pid, default: 0] &+ 1
    programs[pid] = program
    if let slot = threads.slot(of: pid) { threads.values[slot]?.program = program }
  }

  private mutating func slot(of tid: Int32, _ pid: Int32) -> Int {
    if let slot = threads.slot(of: tid) { return slot }
    threads[tid] = Thread(program: programs[pid] ?? 0)
    return threads.slot(of: tid) ?? 0
  }

  /// The sums; of the subject, where that ran two programs, those of the last.
  func finish(subject: Int32, ranAnother: Bool) -> [SystemCall.Key: SystemCall.Totals] {
    var result: [SystemCall.Key: SystemCall.Totals] = [:]
    for (key, totals) in zip(numbering.values, totals) {
      if ranAnother, key.call.pid == subject, key.program != programs[subject] ?? 0 { continue }
      result[key.call, default: .init()].add(totals)
    }
    return result
  }
}
