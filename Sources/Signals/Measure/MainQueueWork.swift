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
  /// What serial queues did of which it is not known which they were: each may be the main one.
  private(set) var untold = UntoldQueueWork()
  /// There is no sign of the main queue, and what was not told may hold a hang of it.
  private(set) var isUntold = false
  private var stacks: Set<Int> = []
  /// Stacks of other queues' work, and of tasks on the pool.
  private var otherStacks: Set<Int> = []
  /// By thread, in the order of their ends.
  private var jobs: [Int32: [(start: Timestamp, end: Timestamp)]] = [:]
  /// Whether what it does in less than a millisecond is told: by jobs alone.
  var tellsShortTurns: Bool { !jobs.isEmpty }

  /// Shorter turns hold neither a wait nor a sample that would show what they are.
  private static let shortestTurn = TimeSpan(seconds: 0.001)

  init(of subject: SubjectView, besides first: Int32, _ signs: inout StackSigns) {
    for job in subject.trace.jobs.runs(of: subject.pid, onMainActor: true) where job.tid != first {
      jobs[job.tid, default: []].append((job.start, job.end))
    }
    untold = CutStackWork(of: subject, besides: first, &signs).ofQueues
    var weights: [Int32: [Int: Double]] = [:]
    func add(_ stack: Int?, _ tid: Int32, _ seconds: Double, waitingFor cause: WaitCause? = nil) {
      guard let stack, tid != first else { return }
      let shown = signs.signs(of: stack)
      // Who runs a job does not show where the stack is cut behind it: it may be MainActor's.
      if shown.contains(.otherDrain) || shown.contains(.pooledJob) && !shown.contains(.cut) {
        otherStacks.insert(stack)
      } else if shown.contains(.mainDrain) || shown.contains(.serialJob) {
        stacks.insert(stack)
      } else if shown.contains(.serialDrain) {
        if cause?.isIdle != true { untold.add(seconds, waitingFor: cause) }
        return
      } else {
        return
      }
      weights[tid, default: [:]][stack, default: 0] += seconds
    }
    for thread in subject.threads {
      for interval in thread.intervals where interval.stack != nil {
        guard case .blocked(let cause) = interval.state else { continue }
        add(interval.stack, thread.tid, interval.length.seconds, waitingFor: cause)
      }
    }
    for sample in subject.trace.processorSamples where sample.pid == subject.pid {
      add(sample.stack, sample.tid, CutStackWork.sampleSeconds)
    }
    // Without samples nothing shows whose work it is that a thread computes.
    let isSampled = subject.trace.processorSamples.contains { $0.pid == subject.pid }
    let computed = subject.threads.reduce(0) {
      $1.tid == first ? $0 : $0 + $1.runningTime.seconds
    }
    isUntold =
      stacks.isEmpty && jobs.isEmpty
      && untold.seconds + (isSampled ? 0 : computed) >= UntoldQueueWork.least

    var seconds: [Int32: Double] = [:]
    for (tid, ofStacks) in weights {
      seconds[tid] = ofStacks.filter { stacks.contains($0.key) }.values.reduce(0, +)
    }
    for (tid, runs) in jobs {
      seconds[tid, default: 0] += runs.reduce(0) { $0 + ($1.end - $1.start).seconds }
    }
    let order = seconds.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    workers = order.compactMap { worker in subject.threads.first { $0.tid == worker.key } }
    if !isSampled, !workers.isEmpty { addUnseenComputing(in: subject, besides: first, &signs) }
  }

  /// Adds what workers computed in turns in which no wait shows whose work they are, where samples do not either.
  private mutating func addUnseenComputing(
    in subject: SubjectView, besides first: Int32, _ signs: inout StackSigns
  ) {
    let least = TimeSpan(seconds: UntoldQueueWork.least)
    for thread in subject.threads where thread.tid != first && thread.mayDrainMainQueue {
      for turn in subject.turns(of: thread, keeping: least).long {
        let isShown = turn.intervals.contains {
          let shown = signs.signs(of: $0.stack)
          return !shown.isDisjoint(with: [.mainDrain, .otherDrain, .serialDrain, .job])
        }
        let hasJob = jobs[thread.tid]?.contains { $0.start < turn.end && $0.end > turn.start }
        guard !isShown, hasJob != true else { continue }
        untold.add(TimeParts(turn.intervals).running.seconds, waitingFor: nil)
      }
    }
  }

  /// The turns of all workers that are known to be its work, each less what is known to be other work in it.
  func turns(in subject: SubjectView) -> [Turn] {
    workers.flatMap { turns(of: $0, in: subject) }.sorted { $0.start < $1.start }
  }

  private func turns(of thread: ThreadModel, in subject: SubjectView) -> [Turn] {
    let samples = subject.trace.processorSamples.compactMap { sample -> Sign? in
      guard sample.tid == thread.tid, let stack = sample.stack else { return nil }
      if stacks.contains(stack) { return Sign(time: sample.time, shows: .mainQueue) }
      return otherStacks.contains(stack) ? Sign(time: sample.time, shows: .others) : nil
    }.sorted { $0.time < $1.time }
    let long = subject.turns(of: thread, keeping: Self.shortestTurn).long
    let known = long.flatMap { parts(of: $0) }.flatMap { part -> [Turn] in
      let from = samples.partitioningIndex { $0.time >= part.start }
      let signs = samples[from...].prefix { $0.time <= part.end } + waits(in: part)
      let own = signs.filter { $0.shows == .mainQueue }
      // What jobs explain ends with them.
      guard !own.allSatisfy({ isInJob(part.tid, $0.time) }) else { return jobs(in: part) }
      return pieces(of: part, by: signs.sorted { $0.time < $1.time })
    }
    return known + shortJobs(of: thread, besides: long, in: subject)
  }

  /// Jobs of MainActor in turns that are too short to show anything else.
  private func shortJobs(
    of thread: ThreadModel, besides long: [Turn], in subject: SubjectView
  ) -> [Turn] {
    guard let runs = jobs[thread.tid] else { return [] }
    let history = subject.history(of: thread)
    return runs.compactMap { job in
      let next = long.partitioningIndex { $0.end >= job.start }
      guard next == long.count || long[next].start > job.end else { return nil }
      let own = history.from(job.start).prefix { $0.start <= job.end }
      return Self.cut(own, tid: thread.tid, from: job.start, to: job.end)
    }
  }

  /// A moment at which it shows whose work a worker does, or at which a wait's stack does not reach so far.
  private struct Sign {
    enum Owner { case mainQueue, others, unknown }

    var time: Timestamp
    var shows: Owner
  }

  private func waits(in turn: Turn) -> [Sign] {
    turn.intervals.flatMap { interval -> [Sign] in
      guard case .blocked(let cause) = interval.state, !cause.isIdle, let stack = interval.stack
      else { return [] }
      let owner: Sign.Owner = stacks.contains(stack) ? .mainQueue : .unknown
      return [Sign(time: interval.start, shows: owner), Sign(time: interval.end, shows: owner)]
    }
  }

  private func isInJob(_ tid: Int32, _ time: Timestamp) -> Bool {
    guard let runs = jobs[tid] else { return false }
    let next = runs.partitioningIndex { $0.end >= time }
    return next < runs.count && runs[next].start <= time
  }

  /// What of a turn is the main queue's work: a worker goes on with another queue's without a wait.
  ///
  /// It is taken to do so half-way between two signs. What is not known is the main queue's between two signs of that.
  private func pieces(of turn: Turn, by signs: [Sign]) -> [Turn] {
    var signs = signs
    var next = Sign.Owner.others
    var isWithin = signs.indices.reversed().map { index in
      if signs[index].shows != .unknown { next = signs[index].shows }
      return next == .mainQueue
    }
    isWithin.reverse()
    for index in signs.indices where signs[index].shows == .unknown {
      let before = index > 0 ? signs[index - 1].shows : .others
      signs[index].shows = before == .mainQueue && isWithin[index] ? .mainQueue : .others
    }
    var pieces: [Turn] = []
    func add(_ from: Timestamp, _ to: Timestamp) {
      if let piece = Self.cut(turn.intervals, tid: turn.tid, from: from, to: to) {
        pieces.append(piece)
      }
    }
    var start = signs.first?.shows == .mainQueue ? turn.start : nil
    for (one, next) in zip(signs, signs.dropFirst()) where one.shows != next.shows {
      let (from, until) = (one.time.nanoseconds, next.time.nanoseconds)
      let change = Timestamp(nanoseconds: from + (until - from) / 2)
      if let begun = start { add(begun, change) }
      start = next.shows == .mainQueue ? change : nil
    }
    if let start { add(start, turn.end) }
    return pieces
  }

  private static func cut(
    _ intervals: some Sequence<ThreadInterval>, tid: Int32, from: Timestamp, to: Timestamp
  ) -> Turn? {
    let own = intervals.compactMap { interval -> ThreadInterval? in
      guard interval.start < to, interval.end > from else { return nil }
      var part = interval
      part.start = max(part.start, from)
      part.end = min(part.end, to)
      return part
    }
    return own.isEmpty ? nil : Turn(ThreadHistory(own), tid: tid)
  }

  /// What of a turn jobs of MainActor took, where nothing else shows whose work it is: the worker may have gone on with
  /// another queue's.
  private func jobs(in turn: Turn) -> [Turn] {
    guard let runs = jobs[turn.tid] else { return [] }
    let intervals = Array(turn.intervals)
    var turns: [Turn] = []
    var first = 0
    for job in runs[runs.partitioningIndex { $0.end >= turn.start }...] {
      guard job.start <= turn.end else { break }
      while first < intervals.count, intervals[first].end < job.start { first += 1 }
      let own = intervals[first...].prefix { $0.start <= job.end }
      if let turn = Self.cut(own, tid: turn.tid, from: job.start, to: job.end) {
        turns.append(turn)
      }
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
