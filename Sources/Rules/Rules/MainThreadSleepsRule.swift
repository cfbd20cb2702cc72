import Signals

/// The main thread must not sleep outside its event wait.
package enum MainThreadSleepsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "main-thread-sleeps", title: "Do not sleep on the main thread",
    category: .responsiveness, guide: [Guide.doNotBlock],
    signals: [.mainThread], unit: "ms/min",
    measuredAs: "time the main thread spent in nanosleep-like calls outside its event wait, "
      + "per minute; the launch has a rule of its own",
    advice:
      "Wait with try await Task.sleep(for:), a Timer or a DispatchSourceTimer, which leave the "
      + "main thread to its events. If the sleep waits for something to happen, wait for that "
      + "with an AsyncStream, a continuation or a notification.",
    examples: [
      RuleExample(
        "timers in the event loop, and half a millisecond of sleep", .pass,
        SignalSet(
          durationSeconds: 60,
          mainThread: MainThreadSignal(
            turns: 50, idleSeconds: 59, blockedByCause: [.sleep: 0.0005]))),
      RuleExample(
        "ten sleeps of 50 ms", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            turns: 5, blockedByCause: [.sleep: 0.5],
            blockings: [Blocking(cause: .sleep, seconds: 0.5, count: 10)]))),
      RuleExample(
        "a tool without an event loop does the same", .notApplicable,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            hasEventLoop: false, turns: 1, blockedByCause: [.sleep: 0.5]))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    MainThreadWaits.outcome(signals, scale, causes: [.sleep], noun: "sleep")
  }
}
