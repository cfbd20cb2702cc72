import Signals

/// A Swift task must not block its thread.
package enum CooperativePoolBlockingRule: Rule {
  package static let metadata = RuleMetadata(
    id: "cooperative-pool-blocking", title: "Do not block in a Swift task",
    category: .responsiveness, guide: [Guide.doNotBlock, Guide.concurrency],
    signals: [.cpu], unit: "ms/min",
    measuredAs:
      "by extension of what the guide asks of the main thread, since every task waits for the pool: time that "
      + "Swift tasks kept the pool's most blocked thread in files, locks, sleeps and the like, per minute",
    advice:
      "The pool has one thread for each CPU, and a task that blocks takes one away from all others. Suspend instead: "
      + "try await Task.sleep(for:), an AsyncStream or a continuation in place of a semaphore, "
      + "and a dispatch queue or a "
      + "task executor of its own for calls that block.",
    examples: PoolWaits.examples(
      role: .cooperativePool, cause: .sleep, good: "tasks that await",
      bad: "ten tasks that sleep for 50 ms with usleep",
      absent: "a program without tasks on the pool"))

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    PoolWaits.outcome(
      signals, scale, role: .cooperativePool,
      absent: "no Swift task was seen on the cooperative pool", untold: signals.untoldTaskWaits)
  }
}
