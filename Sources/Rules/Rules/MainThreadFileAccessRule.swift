import Signals

/// The main thread must not wait for files.
package enum MainThreadFileAccessRule: Rule {
  package static let metadata = RuleMetadata(
    id: "main-thread-file-access", title: "Keep file access off the main thread",
    category: .responsiveness, guide: [Guide.threads, Guide.doNotBlock],
    signals: [.mainThread], unit: "ms/min",
    measuredAs:
      "time the main thread was blocked in file calls and syncs (page faults are shown but "
      + "not counted: loading the program causes them too), per minute",
    advice: "Read and write files from an actor or a background queue: FileHandle and Data calls "
      + "inside a Task.detached, DispatchIO, or NIOFileSystem. Leave fsync to that queue, and "
      + "never call it for each change.",
    examples: [
      RuleExample(
        "a settings file read from the cache", .pass,
        SignalSet(
          durationSeconds: 60,
          mainThread: MainThreadSignal(
            turns: 50, idleSeconds: 59, blockedByCause: [.sync: 0.004]))),
      RuleExample(
        "ten writes synced for 50 ms each", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            turns: 5, blockedByCause: [.sync: 0.5],
            blockings: [Blocking(cause: .sync, seconds: 0.5, count: 10)]))),
      RuleExample(
        "a tool without an event loop does the same", .notApplicable,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            hasEventLoop: false, turns: 1, blockedByCause: [.sync: 0.5]))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    MainThreadWaits.outcome(
      signals, scale, causes: [.file, .sync], noun: "wait", shownOnly: [.pageFault])
  }
}
