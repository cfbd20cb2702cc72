import Signals

/// The main thread must not wait for what another thread holds.
package enum MainThreadLockWaitsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "main-thread-lock-waits", title: "Do not make the main thread wait for other threads",
    category: .responsiveness, guide: [Guide.doNotBlock],
    signals: [.mainThread], unit: "ms/min",
    measuredAs: "time the main thread spent in futex and semaphore waits outside its event wait, "
      + "per minute; the launch has a rule of its own",
    advice:
      "Replace semaphores, DispatchQueue.sync, DispatchGroup.wait and future.wait() on the main "
      + "thread by await, notify or whenComplete. Keep state in an actor, and hold a Mutex only "
      + "for the few instructions that need it.",
    examples: [
      RuleExample(
        "short mutexes", .pass,
        SignalSet(
          durationSeconds: 60,
          mainThread: MainThreadSignal(
            turns: 50, idleSeconds: 59, blockedByCause: [.lock: 0.002]))),
      RuleExample(
        "ten waits of 50 ms for a worker", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            turns: 5, blockedByCause: [.lock: 0.5],
            blockings: [Blocking(cause: .lock, seconds: 0.5, count: 10)]))),
      RuleExample(
        "a tool without an event loop does the same", .notApplicable,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            hasEventLoop: false, turns: 1, blockedByCause: [.lock: 0.5]))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    MainThreadWaits.outcome(signals, scale, causes: [.lock], noun: "wait")
  }
}
