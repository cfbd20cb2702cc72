import PerfData
import Quantities

/// Joins the beginnings and ends of system calls (raw_syscalls:sys_enter and sys_exit), and counts them by thread and
/// call.
struct SystemCallTracker: ~Copyable {
  private struct Key: Hashable {
    var call: SystemCall.Key
    /// Which of the process's programs made it.
    var program: Int32
  }

  /// A thread, as far as its calls are concerned.
  struct Thread {
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
    if let thread = threads.place(of: tid) {
      thread.pointee.number = number
      thread.pointee.since = time
    } else {
      threads.insert(
        Thread(program: programs[pid] ?? 0, number: number, since: time), for: tid)
    }
  }

  /// A thread that is new comes back from a call that it did not begin, and after a signal's handler no call is named.
  mutating func exit(
    pid: Int32, tid: Int32, number: Int32, hasFailed: Bool, at time: Timestamp
  ) {
    var thread = Thread(program: 0)
    if let place = threads.place(of: tid) {
      thread = place.pointee
      place.pointee.number = -1
    } else {
      thread.program = programs[pid] ?? 0
      threads.insert(thread, for: tid)
    }
    guard number >= 0, window.contains(time) else { return }
    let key = Key(
      call: .init(pid: pid, tid: tid, number: number), program: thread.program)
    let place = numbering.number(of: key, hint: Int(tid) << 12 ^ Int(number))
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
    threads.place(of: pid)?.pointee.program = program
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
