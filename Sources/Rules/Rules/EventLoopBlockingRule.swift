import Signals

/// An event loop must not wait for anything but its events.
public enum EventLoopBlockingRule: Rule {
  public static let metadata = RuleMetadata(
    id: "event-loop-blocking", title: "Do not block an event loop",
    category: .responsiveness, guide: [Guide.doNotBlock, Guide.concurrency],
    signals: [.mainThread], unit: "ms/min",
    measuredAs:
      "time that the event loop blocked longest was blocked in files, locks, sleeps and the like outside its selector, "
      + "per minute; a recording shorter than a minute counts as a minute",
    advice:
      "Every channel of an event loop waits while a handler does. Read files with NIOFileSystem or "
      + "NIOThreadPool.runIfActive, sleep with eventLoop.scheduleTask, and leave locks and synchronous calls to "
      + "a thread pool.",
    examples: [
      RuleExample(
        "handlers that leave files to a thread pool", .pass,
        SignalSet(
          durationSeconds: 60, mainThread: MainThreadSignal(),
          criticalThreads: [
            CriticalThread(
              tid: 2, role: .eventLoop, turns: 900, idleSeconds: 59,
              blockedSeconds: 0.004, blockedByCause: ["lock": 0.004])
          ])),
      RuleExample(
        "a handler that reads a file for each of ten requests", .fail,
        SignalSet(
          durationSeconds: 10, mainThread: MainThreadSignal(),
          criticalThreads: [
            CriticalThread(
              tid: 2, role: .eventLoop, turns: 50, blockedSeconds: 0.5,
              blockedByCause: ["file": 0.5],
              blockings: [Blocking(cause: "file", seconds: 0.5, count: 10)])
          ])),
      RuleExample(
        "a program without SwiftNIO", .notApplicable,
        SignalSet(durationSeconds: 10, mainThread: MainThreadSignal())),
    ])

  public static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    PoolWaits.outcome(
      signals, scale, role: .eventLoop, absent: "the process has no event loop of SwiftNIO")
  }
}
