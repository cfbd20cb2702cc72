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
  /// Threads that ran others within what they run: either is so, or a return was lost.
  private var nested: Set<Int32> = []
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
    if open[tid]?.isEmpty == false { nested.insert(tid) }
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
    if open[tid]?.isEmpty == true { nested.remove(tid) }
  }

  /// All runs. Those that go on end with their thread, or else with the recording; of one within which others ran, or
  /// where records were lost, its return may have been, and nobody knows its end.
  func finish(threads: [ThreadModel], at end: Timestamp, isWhole: Bool) -> JobLog {
    guard isWhole else { return runs }
    var all = runs
    let going = open.filter { !nested.contains($0.key) }.compactMap(\.value.first)
    for var run in going.sorted(by: { ($0.start, $0.tid) < ($1.start, $1.tid) }) {
      // An async main may begin a server and wait for its end: MainActor has nothing else to do.
      let isOnly = run.isMainActor && !runs.contains { $0.pid == run.pid && $0.isMainActor }
      if isOnly { continue }
      let thread = threads.last {
        $0.tid == run.tid && $0.pid == run.pid && $0.start <= run.start
      }
      run.end = max(run.start, thread?.end ?? end)
      // A program's event loop may begin in a job, and go on from there: `dispatchMain()`, `RunLoop.run()`. What is not
      // known may be that.
      let loop = thread?.intervals.from(run.start).first {
        $0.start >= run.start && [.blocked(.eventWait), .blocked(.unknown)].contains($0.state)
      }
      if let loop { run.end = loop.start }
      all.append(run)
    }
    return all
  }
}
