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

  /// How much of the CPUs all threads together had.
  static func processors(_ canvas: TimelineCanvas) -> TimelineLane {
    var changes: [(time: UInt64, delta: Int)] = []
    for thread in canvas.subject.threads {
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
