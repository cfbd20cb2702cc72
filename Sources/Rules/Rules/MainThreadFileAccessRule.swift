import Quantities
import Signals

/// The main thread must not read and write files.
package enum MainThreadFileAccessRule: Rule {
  /// What a call takes that finds nothing in the page cache, in milliseconds: a random read of 4 KiB from eMMC flash
  /// takes 0.1 to 0.2.
  static let millisecondsPerCall = 0.1
  /// And a megabyte: eMMC 5.1 reads 250 MB/s in sequence.
  static let millisecondsPerMegabyte = 4.0

  package static let metadata = RuleMetadata(
    id: "main-thread-file-access", title: "Keep file access off the main thread",
    category: .responsiveness, guide: [Guide.threads, Guide.doNotBlock],
    signals: [.mainThread], unit: "ms/min",
    measuredAs:
      "time the main thread was blocked in file calls and syncs, or, where that is more, what its file calls "
      + "would take "
      + "with a cold cache (0.1 ms a call, 4 ms a MB), per minute: a warm cache makes none free. Page faults are "
      + "shown but not counted, since loading the program causes them too; the launch has rules of its own",
    advice: "Read and write files from an actor or a background queue: FileHandle and Data calls "
      + "inside a Task.detached, DispatchIO, or NIOFileSystem. Leave fsync to that queue, and "
      + "never call it for each change.",
    examples: [
      RuleExample(
        "a settings file read from the cache", .pass,
        SignalSet(
          durationSeconds: 60,
          mainThread: example(FileAccess(calls: 2, bytes: 4000), seconds: 0.004))),
      RuleExample(
        "ten writes synced for 50 ms each", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            turns: 5, blockedByCause: [.sync: 0.5],
            blockings: [Blocking(cause: .sync, seconds: 0.5, count: 10)]))),
      RuleExample(
        "200 MB read from the cache in reads of 4 KiB", .fail,
        SignalSet(
          durationSeconds: 10,
          mainThread: example(FileAccess(calls: 48_829, bytes: 200_000_000), seconds: 0))),
      RuleExample(
        "a tool without an event loop does the same", .notApplicable,
        SignalSet(
          durationSeconds: 10,
          mainThread: MainThreadSignal(
            hasEventLoop: false, turns: 1, blockedByCause: [.sync: 0.5]))),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    let waited = MainThreadWaits.outcome(
      signals, scale, causes: [.file, .sync], noun: "wait", shownOnly: [.pageFault])
    guard let main = signals.mainThread, main.hasEventLoop, !main.isParked else { return waited }
    if case .notMeasured = waited { return waited }
    guard let access = main.fileAccess else {
      guard signals.unavailable[.disk] != nil else { return waited }
      switch waited {
      case .measured(let finding) where finding.value > scale.target: return waited
      case .measured, .nothing:
        return .notMeasured(reason: "file calls that did not block were not recorded")
      default: return waited
      }
    }
    guard access.calls > 0 else { return waited }
    let cold =
      Double(access.calls) * millisecondsPerCall
      + Double(access.bytes) / 1e6 * millisecondsPerMegabyte
    // Each file is one reason to come to it.
    let rate = Exposure(signals).perMinute(
      EventSum(total: cold, events: max(access.files.count, 1), unseen: 0))
    var finding: RuleFinding
    if case .measured(let known) = waited {
      finding = known
      finding.displayValue += "; "
    } else {
      finding = RuleFinding(value: 0, bounds: .exactly(0), displayValue: "")
    }
    finding.displayValue +=
      "\(Figures.count(access.calls, "file call")) and \(Figures.bytes(access.bytes)) on the main thread"
    finding.evidence += access.files.prefix(3).map {
      Evidence(
        summary: "\($0.path): \(Figures.count($0.calls, "call")), \(Figures.bytes($0.bytes))",
        value: Double($0.bytes), unit: "bytes", thread: main.threadName, path: $0.path)
    }
    if rate.value > finding.value {
      finding.value = rate.value
      // It is at least what it was blocked for.
      finding.bounds = Bounds(
        low: max(rate.bounds.low, finding.bounds.low),
        high: max(rate.bounds.high, finding.bounds.high))
      finding.isPerRun = rate.isPerRun
      (finding.limitValue, finding.limitBounds) = (rate.value, finding.bounds)
      finding.savings = scale.saving(of: rate.value)
    }
    return .measured(finding)
  }

  private static func example(_ access: FileAccess, seconds: Double) -> MainThreadSignal {
    var main = MainThreadSignal(
      turns: 50, idleSeconds: 59, blockedByCause: seconds > 0 ? [.sync: seconds] : [:])
    main.fileAccess = access
    return main
  }
}
