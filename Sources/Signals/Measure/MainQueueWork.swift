import Quantities
import TraceModel

/// What workers do of the main queue's and MainActor's work.
///
/// Any worker may, and does other queues' work as well. That it is the main queue's is known by the queue itself, where
/// libdispatch's function keeps its address, by a job of Swift's that a serial queue runs, and by the probes that tell
/// MainActor's jobs.
struct MainQueueWork {
  /// Those that were seen at it, the one that did most first.
  private(set) var workers: [ThreadModel] = []
  /// Serial queues ran something that took time, and it is not known which they were.
  private(set) var isUntold = false
  private var stacks: Set<Int> = []
  /// Stacks of other queues' work, and of tasks on the pool.
  private var otherStacks: Set<Int> = []
  /// By thread, in the order of their ends.
  private var jobs: [Int32: [(start: Timestamp, end: Timestamp)]] = [:]

  /// In less there is no hang, even if all of it was the main queue's.
  private static let leastUntold = 0.05
  /// What a CPU sample stands for.
  private static let sampleSeconds = 0.01
  /// Shorter turns hold neither a wait nor a sample that would show what they are.
  private static let shortestTurn = TimeSpan(seconds: 0.001)

  init(of subject: SubjectView, besides first: Int32, _ signs: inout StackSigns) {
    for job in subject.trace.jobs.runs(of: subject.pid, onMainActor: true) where job.tid != first {
      jobs[job.tid, default: []].append((job.start, job.end))
    }
    var untold: Set<Int> = []
    var weights: [Int32: [Int: Double]] = [:]
    func add(_ stack: Int?, _ tid: Int32, _ seconds: Double) {
      guard let stack, tid != first else { return }
      let shown = signs.signs(of: stack)
      if shown.contains(.otherDrain) || shown.contains(.pooledJob) {
        otherStacks.insert(stack)
      } else if shown.contains(.mainDrain) || shown.contains(.serialJob) {
        stacks.insert(stack)
      } else if shown.contains(.serialDrain) {
        untold.insert(stack)
      } else {
        return
      }
      weights[tid, default: [:]][stack, default: 0] += seconds
    }
    for thread in subject.threads {
      for interval in thread.intervals where interval.stack != nil {
        add(interval.stack, thread.tid, interval.length.seconds)
      }
    }
    for sample in subject.trace.processorSamples where sample.pid == subject.pid {
      add(sample.stack, sample.tid, Self.sampleSeconds)
    }
    // Where the main queue is the only one that was seen, what was not told is its work too.
    let hasOthers = otherStacks.contains { signs.signs(of: $0).contains(.otherDrain) }
    if !stacks.isEmpty, !hasOthers { stacks.formUnion(untold) }
    let untoldSeconds = weights.values.joined().reduce(0) {
      $0 + (untold.contains($1.key) ? $1.value : 0)
    }
    // Without samples nothing shows whose work it is that a thread computes.
    let isSampled = subject.trace.processorSamples.contains { $0.pid == subject.pid }
    let computed = subject.threads.reduce(0) {
      $1.tid == first ? $0 : $0 + $1.runningTime.seconds
    }
    isUntold =
      stacks.isEmpty && jobs.isEmpty
      && untoldSeconds + (isSampled ? 0 : computed) >= Self.leastUntold

    var seconds: [Int32: Double] = [:]
    for (tid, ofStacks) in weights {
      seconds[tid] = ofStacks.filter { stacks.contains($0.key) }.values.reduce(0, +)
    }
    for (tid, runs) in jobs {
      seconds[tid, default: 0] += runs.reduce(0) { $0 + ($1.end - $1.start).seconds }
    }
    let order = seconds.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    workers = order.compactMap { worker in subject.threads.first { $0.tid == worker.key } }
  }

  /// The turns of all workers that are known to be its work, each less what is known to be other work in it.
  func turns(in subject: SubjectView) -> [Turn] {
    workers.flatMap { turns(of: $0, in: subject) }.sorted { $0.start < $1.start }
  }

  private func turns(of thread: ThreadModel, in subject: SubjectView) -> [Turn] {
    let samples = subject.trace.processorSamples.filter {
      $0.tid == thread.tid && $0.stack.map(stacks.contains) == true
    }
    return Turn.split(
      subject.history(of: thread), tid: thread.tid, keeping: Self.shortestTurn
    ).long.flatMap { parts(of: $0) }.flatMap { part -> [Turn] in
      let isShown =
        part.intervals.contains { $0.stack.map(stacks.contains) == true }
        || samples.contains { $0.time >= part.start && $0.time <= part.end }
      return isShown ? [part] : jobs(in: part)
    }
  }

  /// What of a turn jobs of MainActor took, where nothing else shows whose work it is: the worker may have gone on with
  /// another queue's.
  private func jobs(in turn: Turn) -> [Turn] {
    guard let runs = jobs[turn.tid] else { return [] }
    let intervals = Array(zip(turn.intervals.indices, turn.intervals))
    var turns: [Turn] = []
    var next = 0
    for job in runs[runs.partitioningIndex { $0.end >= turn.start }...] {
      guard job.start <= turn.end else { break }
      while next < intervals.count, intervals[next].1.end < job.start { next += 1 }
      let first = next
      while next < intervals.count, intervals[next].1.start <= job.end { next += 1 }
      guard first < next, let part = turn.part(intervals[first].0..<intervals[next - 1].0 + 1)
      else { continue }
      turns.append(part)
    }
    return turns
  }

  /// What lies between waits of other work.
  private func parts(of turn: Turn) -> [Turn] {
    let others = zip(turn.intervals.indices, turn.intervals).filter {
      $1.stack.map(otherStacks.contains) == true
    }.map(\.0)
    guard !others.isEmpty else { return [turn] }
    let (begin, end) = (turn.intervals.startIndex, turn.intervals.endIndex)
    return zip([begin] + others.map { $0 + 1 }, others + [end]).compactMap { from, until in
      from < until ? turn.part(from..<until) : nil
    }
  }
}
