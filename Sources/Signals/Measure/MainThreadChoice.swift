import TraceModel

/// The thread that plays the main thread's part, and how it was found.
struct MainThreadChoice {
  var thread: ThreadModel
  var foundBy: String
  /// The process's first thread, which runs until the program is launched, whoever plays its part then.
  var first: ThreadModel
  /// Other workers that MainActor's work ran on in between.
  var others: [ThreadModel] = []
  /// Stacks that show a thread at MainActor's work, where that is not always on one thread.
  var mainStacks: Set<Int> = []

  static func choose(in subject: SubjectView) -> MainThreadChoice? {
    guard
      let first = subject.threads.first(where: { $0.tid == subject.pid })
        ?? subject.threads.first
    else { return nil }
    var stacks = StackSigns(subject.trace.stacks)
    guard
      first.intervals.totals.stacks.contains(where: {
        stacks.signs(of: $0).contains(.parked)
      })
    else {
      return MainThreadChoice(thread: first, foundBy: "the process's first thread", first: first)
    }
    // MainActor runs on whichever worker drains the main queue. Other serial queues look the same, but only an actor's
    // jobs are drained from one; so a thread that ran such jobs is preferred to any that did not.
    func busiest(_ signs: RoleSigns) -> [(key: Int32, value: Double)]? {
      var weight: [Int32: Double] = [:]
      for thread in subject.threads where thread.tid != first.tid {
        for interval in thread.intervals where stacks.signs(of: interval.stack).contains(signs) {
          weight[thread.tid, default: 0] += interval.length.seconds
        }
      }
      for sample in subject.trace.processorSamples
      where sample.pid == subject.pid && stacks.signs(of: sample.stack).contains(signs) {
        weight[sample.tid, default: 0] += 0.01
      }
      let order = weight.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return order.isEmpty ? nil : order
    }
    let jobs = busiest(.serialJob)
    let workers = jobs ?? busiest(.serialDrain) ?? []
    guard let best = workers.first,
      let thread = subject.threads.first(where: { $0.tid == best.key })
    else {
      return MainThreadChoice(
        thread: first, foundBy: "the process's first thread (parked by libdispatch)", first: first)
    }
    let evidence = jobs == nil ? RoleSigns.serialDrain : .serialJob
    return MainThreadChoice(
      thread: thread, foundBy: "the worker that drains the main queue; the first thread is parked",
      first: first,
      others: workers.dropFirst().compactMap { worker in
        subject.threads.first { $0.tid == worker.key }
      },
      mainStacks: stacks.stacks(showing: evidence))
  }
}
