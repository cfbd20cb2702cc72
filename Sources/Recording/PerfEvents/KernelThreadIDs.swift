import PerfData

/// Which ids tracepoints' fields give the recorded threads, in a PID namespace.
///
/// A tracepoint's sample tells both ids of the thread that made it: its own `tid`, and `common_pid` in the payload. A
/// thread that has made none yet is known by its beginning: its parent makes a FORK record, which has the namespace's
/// id, and then sched_wakeup_new, which has the other.
struct KernelThreadIDs {
  /// A thread's beginning as its parent told it, by one of the ids.
  private struct Beginning {
    var parent: Int32
    var id: Int32
    var time: UInt64
    var round: UInt64
  }

  /// By the kernel's ids, and the other way.
  private var tids: [Int32: Int32] = [:]
  private var kernelTids: [Int32: Int32] = [:]
  private var fresh: [ThreadIDsEvent.Thread] = []
  private var forks: [Beginning] = []
  private var firstWakeups: [Beginning] = []
  private var round: UInt64 = 0

  /// The thread that a tracepoint's field names; -1 where that is not known.
  @inline(__always)
  func tid(of kernelTid: Int32) -> Int32 { tids[kernelTid] ?? -1 }

  /// The id that a tracepoint's fields give a thread.
  func kernelTid(of tid: Int32) -> Int32? { kernelTids[tid] }

  /// All that is known.
  var all: [ThreadIDsEvent.Thread] {
    tids.sorted { $0.key < $1.key }.map { .init(tid: $0.value, kernelTid: $0.key) }
  }

  mutating func learn(_ tid: Int32, is kernelTid: Int32) {
    guard tids[kernelTid] != tid else { return }
    forget(tid)
    if let former = tids[kernelTid] { kernelTids[former] = nil }
    tids[kernelTid] = tid
    kernelTids[tid] = kernelTid
    fresh.append(ThreadIDsEvent.Thread(tid: tid, kernelTid: kernelTid))
  }

  /// A FORK record.
  mutating func began(_ tid: Int32, by parent: Int32, at time: UInt64) {
    forks.append(Beginning(parent: parent, id: tid, time: time, round: round))
  }

  /// A sample of sched_wakeup_new.
  mutating func firstWoken(_ kernelTid: Int32, by parent: Int32, at time: UInt64) {
    firstWakeups.append(Beginning(parent: parent, id: kernelTid, time: time, round: round))
  }

  /// Brings beginnings together. The two records of one may be in the rings of two CPUs, of which one is looked at in
  /// the next round.
  mutating func endRound() {
    defer { round += 1 }
    guard !forks.isEmpty || !firstWakeups.isEmpty else { return }
    forks.sort { ($0.parent, $0.time) < ($1.parent, $1.time) }
    firstWakeups.sort { ($0.parent, $0.time) < ($1.parent, $1.time) }
    let waiting = firstWakeups
    firstWakeups.removeAll(keepingCapacity: true)
    var next = 0
    for woken in waiting where tids[woken.id] == nil {
      // A parent makes one thread after the other, each of which may be told by two events.
      while next < forks.count, (forks[next].parent, forks[next].time) < (woken.parent, woken.time)
      {
        next += 1
      }
      if next > 0, forks[next - 1].parent == woken.parent, kernelTids[forks[next - 1].id] == nil {
        learn(forks[next - 1].id, is: woken.id)
      } else if woken.round == round {
        firstWakeups.append(woken)
      }
    }
    forks.removeAll { $0.round < round }
  }

  /// A thread has ended, and its ids may be given to others.
  mutating func forget(_ tid: Int32) {
    if let kernelTid = kernelTids.removeValue(forKey: tid) { tids[kernelTid] = nil }
  }

  /// What was learnt since this was asked for.
  mutating func takeFresh() -> [ThreadIDsEvent.Thread] {
    defer { fresh.removeAll(keepingCapacity: true) }
    return fresh
  }
}
