import Signals

/// An event loop must not wait for anything but its events.
package enum EventLoopBlockingRule: Rule {
  package static let metadata = RuleMetadata(
    id: "event-loop-blocking", title: "Do not block an event loop",
    category: .responsiveness, guide: [Guide.doNotBlock, Guide.concurrency],
    signals: [.cpu], unit: "ms/min",
    measuredAs:
      "by extension of what the guide asks of the main thread, since as much waits for an event loop: time that the "
      + "event loop blocked longest was blocked in files, locks, sleeps and the like outside its selector, "
      + "per minute",
    advice:
      "Every channel of an event loop waits while a handler does. Read files with NIOFileSystem or "
      + "NIOThreadPool.runIfActive, sleep with eventLoop.scheduleTask, and leave locks and synchronous calls to "
      + "a thread pool.",
    examples: PoolWaits.examples(
      role: .eventLoop, cause: .file, good: "handlers that leave files to a thread pool",
      bad: "a handler that reads a file for each of ten requests",
      absent: "a program without SwiftNIO"))

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    PoolWaits.outcome(
      signals, scale, role: .eventLoop, absent: "the process has no event loop of SwiftNIO")
  }
}
