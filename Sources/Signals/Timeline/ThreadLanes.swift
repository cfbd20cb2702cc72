import TraceModel

/// Lanes of threads, and of all threads on the CPUs.
enum ThreadLanes {
  /// A thread's states, in the order of a lane's channels.
  static let states = ["running", "runnable", "idle"] + causes.map(\.rawValue)
  private static let causes = WaitCause.allCases.filter { !$0.isIdle }

  static func channel(of state: ThreadState) -> Int {
    switch state {
    case .running: 0
    case .runnable: 1
    case .blocked(let cause) where cause.isIdle: 2
    case .blocked(let cause): 3 + (causes.firstIndex(of: cause) ?? causes.count - 1)
    }
  }

  /// The main thread first, then event loops and pools, then the others that used the CPU most.
  static func lanes(_ signals: SignalSet, _ canvas: TimelineCanvas) -> [TimelineLane] {
    let order = Dictionary(
      uniqueKeysWithValues: ThreadRole.allCases.enumerated().map { ($1, $0) })
    let rows = signals.threads.sorted {
      (order[$0.role] ?? 0, $1.cpuSeconds, $0.tid) < (order[$1.role] ?? 0, $0.cpuSeconds, $1.tid)
    }
    let threads = Dictionary(
      canvas.subject.threads.map { (Int($0.tid), $0) }, uniquingKeysWith: { $1 })
    return rows.prefix(Timeline.mostThreads).compactMap { row in
      guard let thread = threads[row.tid] else { return nil }
      if row.role == .main,
        case .works(let work)? = MainThreadChoice.choose(in: canvas.subject)?.parked
      {
        return main(work, row, canvas)
      }
      let intervals = canvas.subject.history(of: thread)
      let budget = row.role == .main ? Timeline.mainBudget : Timeline.threadBudget
      return canvas.lane(.thread, channels: states, budget: budget, thread: row) { grid in
        for interval in intervals {
          grid.add(
            from: canvas.time(interval.start), to: canvas.time(interval.end),
            channel: channel(of: interval.state))
        }
      }
    }
  }

  /// The main thread's part, where workers play it: what they did for the main queue, else idle, as it is measured.
  private static func main(
    _ work: MainQueueWork, _ row: ThreadSignal, _ canvas: TimelineCanvas
  ) -> TimelineLane {
    canvas.lane(.thread, channels: states, budget: Timeline.mainBudget, thread: row) { grid in
      var last = canvas.time(canvas.subject.start)
      for turn in work.turns(in: canvas.subject) {
        grid.add(from: last, to: canvas.time(turn.start), channel: 2)
        for interval in turn.intervals {
          grid.add(
            from: canvas.time(interval.start), to: canvas.time(interval.end),
            channel: channel(of: interval.state))
        }
        last = canvas.time(turn.end)
      }
      grid.add(from: last, to: canvas.time(canvas.subject.end), channel: 2)
    }
  }

  /// How much of the CPUs all threads together had; where no switch was recorded, by the samples of a clock.
  static func processors(_ canvas: TimelineCanvas) -> TimelineLane {
    var changes: [(time: UInt64, delta: Int)] = []
    let subject = canvas.subject
    if subject.threads.contains(where: { $0.sampledTime != nil }) {
      for sample in subject.trace.processorSamples where sample.pid == subject.pid {
        let end = canvas.time(sample.time)
        let length = UInt64(max(sample.clockTime.nanoseconds, 0) / 1000)
        changes.append((end > length ? end - length : 0, 1))
        changes.append((end > length ? end : length, -1))
      }
    }
    for thread in subject.threads where thread.sampledTime == nil {
      for interval in thread.intervals where interval.state == .running {
        changes.append((canvas.time(interval.start), 1))
        changes.append((canvas.time(interval.end), -1))
      }
    }
    changes.sort { ($0.time, $0.delta) < ($1.time, $1.delta) }
    return canvas.lane(.cpu, channels: ["running"], budget: Timeline.otherBudget) { grid in
      var running = 0
      var last: UInt64 = 0
      for change in changes {
        grid.add(from: last, to: change.time, channel: 0, weight: UInt64(max(running, 0)))
        running += change.delta
        last = change.time
      }
    }
  }
}
