import PerfData
import Quantities

/// Follows jobs of Swift concurrency from their executor's queue to their end.
struct JobTracker {
  private struct Key: Hashable {
    var pid: Int32
    var job: Int64
  }

  private(set) var runs = JobLog()
  private(set) var created = TaskLog()
  private var waiting: [Key: Timestamp] = [:]
  /// What each thread runs; a job may run another within itself.
  private var open: [Int32: [JobRun]] = [:]
  /// A return that was lost must not make a stack grow for ever.
  private static let deepest = 16

  mutating func create(pid: Int32, at time: Timestamp) {
    created.append(CreatedTask(time: time, pid: pid))
  }

  mutating func enqueue(pid: Int32, job: Int64, at time: Timestamp) {
    waiting[Key(pid: pid, job: job)] = time
  }

  mutating func begin(
    pid: Int32, tid: Int32, job: Int64, isMainActor: Bool, function: Frame?, at time: Timestamp
  ) {
    if open[tid, default: []].count >= Self.deepest { open[tid] = [] }
    open[tid, default: []].append(
      JobRun(
        start: time, end: time, pid: pid, tid: tid,
        enqueued: waiting.removeValue(forKey: Key(pid: pid, job: job)), isMainActor: isMainActor,
        function: function, task: UInt64(bitPattern: job)))
  }

  mutating func end(tid: Int32, at time: Timestamp) {
    guard var run = open[tid]?.popLast() else { return }
    run.end = time
    runs.append(run)
  }
}
