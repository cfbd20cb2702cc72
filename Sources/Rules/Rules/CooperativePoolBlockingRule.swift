import Signals

/// A Swift task must not block its thread.
public enum CooperativePoolBlockingRule: Rule {
  public static let metadata = RuleMetadata(
    id: "cooperative-pool-blocking", title: "Do not block in a Swift task",
    category: .responsiveness, guide: [Guide.doNotBlock, Guide.concurrency],
    signals: [.mainThread], unit: "ms/min",
    measuredAs:
      "time that Swift tasks kept the pool's most blocked thread in files, locks, sleeps and the like, "
      + "per minute; a recording shorter than a minute counts as a minute",
    advice:
      "The pool has one thread for each CPU, and a task that blocks takes one away from all others. Suspend instead: "
      + "try await Task.sleep(for:), an AsyncStream or a continuation in place of a semaphore, and a dispatch queue or a "
      + "task executor of its own for calls that block.",
    examples: [
      RuleExample(
        "tasks that await", .pass,
        SignalSet(
          durationSeconds: 60, mainThread: MainThreadSignal(),
          criticalThreads: [
            CriticalThread(
              tid: 2, role: .cooperativePool, turns: 900, idleSeconds: 59,
              blockedSeconds: 0.004, blockedByCause: ["lock": 0.004])
          ])),
      RuleExample(
        "ten tasks that sleep for 50 ms with usleep", .fail,
        SignalSet(
          durationSeconds: 10, mainThread: MainThreadSignal(),
          criticalThreads: [
            CriticalThread(
              tid: 2, role: .cooperativePool, turns: 50, blockedSeconds: 0.5,
              blockedByCause: ["sleep": 0.5],
              blockings: [Blocking(cause: "sleep", seconds: 0.5, count: 10)])
          ])),
      RuleExample(
        "a program without tasks on the pool", .notApplicable,
        SignalSet(durationSeconds: 10, mainThread: MainThreadSignal())),
    ])

  public static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    PoolWaits.outcome(
      signals, scale, role: .cooperativePool,
      absent: "no Swift task was seen on the cooperative pool")
  }
}
