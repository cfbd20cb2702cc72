import Quantities
import TraceModel

/// What workers of libdispatch did with stacks that are cut before they show who called: a deep stack is taken in part.
///
/// Where jobs of Swift concurrency are probed, these tell which of it was a task's. All else may have been.
struct CutStackWork {
  /// What a CPU sample stands for.
  static let sampleSeconds = 0.01

  /// By workers that serve the main queue, which it may have been of.
  private(set) var ofQueues = UntoldQueueWork()
  /// Waits of workers that serve the cooperative pool, which may have been of its tasks.
  private(set) var ofPool = UntoldTaskWaits()
  /// When waits of tasks on the pool began, as the probes tell, by thread.
  private(set) var taskWaits: [Int32: Set<Timestamp>] = [:]

  init(of subject: SubjectView, besides first: Int32, _ signs: inout StackSigns) {
    let shows: RoleSigns = [.mainDrain, .otherDrain, .serialDrain, .job]
    func isCut(_ stack: Int) -> Bool {
      let shown = signs.signs(of: stack)
      return shown.contains(.cut) && shown.isDisjoint(with: shows)
    }
    var jobs: JobSpans?
    func add(
      _ seconds: Double, waitingFor cause: WaitCause?, at time: Timestamp, by thread: ThreadModel
    ) {
      let known = jobs ?? JobSpans(of: subject)
      jobs = known
      if known.contains(time, tid: thread.tid) {
        if !thread.mayDrainMainQueue { taskWaits[thread.tid, default: []].insert(time) }
      } else if thread.mayDrainMainQueue {
        ofQueues.add(seconds, waitingFor: cause)
      } else if known.isEmpty, let cause {
        ofPool.add(seconds, waitingFor: cause, tid: Int(thread.tid))
      }
    }
    let workers = subject.threads.filter { $0.tid != first && $0.isDispatchWorker }
    for thread in workers where thread.intervals.totals.stacks.contains(where: isCut) {
      for interval in subject.history(of: thread) {
        guard case .blocked(let cause) = interval.state, !cause.isIdle, let stack = interval.stack,
          isCut(stack)
        else { continue }
        add(interval.length.seconds, waitingFor: cause, at: interval.start, by: thread)
      }
    }
    let queueWorkers = workers.filter(\.mayDrainMainQueue)
    for sample in subject.trace.processorSamples where sample.pid == subject.pid {
      guard let stack = sample.stack, isCut(stack),
        let thread = queueWorkers.first(where: { $0.tid == sample.tid })
      else { continue }
      add(Self.sampleSeconds, waitingFor: nil, at: sample.time, by: thread)
    }
  }

  /// When each thread ran jobs.
  private struct JobSpans {
    private var byThread: [Int32: [(start: Timestamp, end: Timestamp)]] = [:]

    var isEmpty: Bool { byThread.isEmpty }

    init(of subject: SubjectView) {
      for job in subject.trace.jobs.runs(of: subject.pid) {
        byThread[job.tid, default: []].append((job.start, job.end))
      }
    }

    /// In the order of their ends: a job may run some others within itself.
    func contains(_ time: Timestamp, tid: Int32) -> Bool {
      guard let spans = byThread[tid] else { return false }
      let next = spans.partitioningIndex { $0.end >= time }
      return spans[next...].prefix(Self.deepest).contains { $0.start <= time }
    }

    private static let deepest = 16
  }
}

extension ThreadModel {
  /// Whether a thread works for libdispatch.
  var isDispatchWorker: Bool { RoleSignature.role(ofThreadNamed: name) == .dispatchWorker }

  /// Whether it is of those that serve the main queue, whose own targets the overcommitting workers (libdispatch of
  /// Swift 6.3.1); the pool's are the others.
  var mayDrainMainQueue: Bool { isDispatchWorker && name.hasSuffix("overcommit") }
}
