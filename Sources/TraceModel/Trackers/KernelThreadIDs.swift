import PerfData
import Quantities

/// Threads by the ids that tracepoints' fields give them, of a trace that was recorded in a PID namespace.
///
/// Samples and records have the ids of the namespace in which perf's events were opened, tracepoints' own fields those
/// of the initial one (`perf_event_pid` and `task_struct.pid` in the kernel).
struct KernelThreadIDs {
  private var tids: [Int32: Int32] = [:]
  /// Threads that had an id before another got it, and when that was.
  private var former: [Int32: [(until: Timestamp, tid: Int32)]] = [:]

  var isEmpty: Bool { tids.isEmpty }

  /// A thread is known by an id of the kernel's, in the order of time.
  mutating func learn(_ tid: Int32, is kernelTid: Int32, at time: Timestamp) {
    guard let known = tids[kernelTid] else {
      tids[kernelTid] = tid
      return
    }
    // Out of order it tells nothing.
    guard known != tid, former[kernelTid]?.last.map({ $0.until < time }) ?? true else { return }
    tids[kernelTid] = tid
    former[kernelTid, default: []].append((time, known))
  }

  /// The thread that a field names; 0 for the idle task, and -1 for a thread that is not known, such as one outside the
  /// namespace.
  func tid(of kernelTid: Int32, at time: Timestamp) -> Int32 {
    if kernelTid == 0 { return 0 }
    if !former.isEmpty, let others = former[kernelTid] {
      let place = others.partitioningIndex { time < $0.until }
      if place < others.count { return others[place].tid }
    }
    return tids[kernelTid] ?? -1
  }

  /// The thread that made a tracepoint's event, of its sample's id and the field `common_pid`: a thread outside the
  /// namespace has the id 0 in samples, as the idle task has.
  @inline(__always)
  static func maker(_ tid: Int32, _ commonPid: Int32) -> Int32 {
    tid == 0 && commonPid != 0 ? -1 : tid
  }
}
