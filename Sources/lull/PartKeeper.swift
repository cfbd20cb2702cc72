import Budgets
import CPerfEvent
import Dispatch
import Files
import Glibc
import PerfData
import Quantities
import Recording
import Reporting
import Symbols
import Synchronization
import TraceModel

/// What becomes of the parts of a recording: names go into them, old ones are removed, reports are made.
///
/// All of it beside the recording's loop, one after another.
final class PartKeeper: Sendable {
  /// Where parts go.
  let folder: WorkFolder
  private let run: String
  private let options: PartOptions
  private let analysis: AnalysisOptions
  private let isQuiet: Bool
  private let wantsReports: Bool
  private let wantsNames: Bool
  private let isLookedAt: Bool
  private let collector: ProfileCollector?
  private let queue = DispatchQueue(label: "parts")
  private let written = Mutex(0)

  /// Makes the folder where it is missing. Of a recording that is looked at the parts stay as they are.
  init(
    _ options: PartOptions, program: String, output: String?, analysis: AnalysisOptions,
    isQuiet: Bool, wantsReports: Bool, wantsNames: Bool, isLookedAt: Bool,
    collector: ProfileCollector?
  ) throws {
    self.options = options
    self.analysis = analysis
    self.isQuiet = isQuiet
    self.wantsReports = wantsReports
    self.wantsNames = wantsNames
    self.isLookedAt = isLookedAt
    self.collector = collector
    run = TraceName.base(program: program)
    lull_hold_little_memory()
    folder = try WorkFolder(output ?? run + (options.flight == nil ? ".parts" : ".flight"))
  }

  /// How the recording is to be kept.
  var parts: RecordingParts {
    guard let flight = options.flight else { return .rotation(rotation) }
    return .flight(
      Flight(
        length: flight, memoryBytes: Int(clamping: options.flightMemory ?? 128_000_000),
        conditions: options.on, atMost: options.atMost ?? 6,
        findHangs: { [process = analysis.process] in HangFinder.hangs(in: $0, process: process) },
        path: { [self] in path(of: $0) },
        onTrace: { [self] path, trigger, held in take(path, trigger, held) },
        onProblem: { [self] problem in if !isQuiet { Console.notice(problem) } }))
  }

  private var rotation: Rotation {
    var every: TimeSpan?
    var bytes: UInt64?
    for limit in options.rotate {
      switch limit {
      case .time(let span): every = span
      case .size(let size): bytes = size
      }
    }
    return Rotation(every: every, bytes: bytes, folder: folder.path, run: run) {
      [self] path, held in take(path, held)
    }
  }

  /// Nothing came of it: a folder that was made for it goes, unless something is in it.
  func leave() { if folder.isNew { rmdir(folder.path) } }

  /// Waits until all is done, and says what there is.
  func finish() {
    queue.sync {}
    let count = written.withLock { $0 }
    if count == 0 { leave() }
    guard !isQuiet else { return }
    if options.flight != nil {
      Console.notice(
        count == 0
          ? "nothing of what --on names happened: nothing was written"
          : "\(Figures.count(count, "trace")) written to \(folder.path)")
    } else {
      Console.notice(
        "\(Figures.count(count, "file")) written to \(folder.path); `lull report \(folder.path)` reads what is kept"
          + " as one")
    }
  }

  // MARK: - Parts on disk

  private func take(_ path: String, _ held: HeldFiles) {
    written.withLock { $0 += 1 }
    if isLookedAt { return }
    afterwards { [self] in
      // Before it is compressed, since what is read of it then takes no memory.
      tell(path, embed(path, held, loads: options.metrics != nil))
      send(path)
      lull_release_memory()
      compress(path)
      removeOld()
    }
  }

  /// Gives what was read of it, where that is wanted and could be.
  @discardableResult
  private func embed(_ path: String, _ held: HeldFiles, loads: Bool = false) -> Trace? {
    guard wantsNames else { return nil }
    let elsewhere = held.paths
    ModuleCache.elsewhere.withLock { $0 = elsewhere }
    do {
      if loads { return try StackEmbedding.embedAndLoad(tracePath: path) }
      try StackEmbedding.embed(tracePath: path)
      return nil
    } catch {
      Console.notice(
        "function names are not stored in \(path), so read it on this machine: \(error)")
      return nil
    }
  }

  /// Makes a part smaller, as `perf record -z` does: several times.
  private func compress(_ path: String) {
    guard TraceCompression.isPossible else { return }
    do { try TraceCompression.compress(traceAt: path) } catch {
      Console.notice("\(path) is not compressed: \(error)")
    }
  }

  /// Puts a part's figures where a collector reads them, in the place of those of the part before.
  private func tell(_ path: String, _ trace: consuming Trace?) {
    guard let metrics = options.metrics else { return }
    do {
      let text = try OpenMetricsReport.render(analysis.analysis(of: [path], whole: trace).report)
      try OutputFile.write(Array(text.utf8), to: metrics, overwrite: true)
    } catch { Console.notice("no metrics of \(path): \(error)") }
  }

  /// Sends a part's stacks to the collector; one that is not taken stays in its file.
  private func send(_ path: String) {
    guard let collector else { return }
    // A part in which nothing happened has none.
    do { _ = try collector.send(analysis.trace(at: [path])) } catch {
      Console.notice("\(path): \((error as? Failure)?.message ?? "\(error)")")
    }
  }

  /// Names and reports take memory for a moment, which the C library would keep for the next time.
  private func afterwards(_ work: @escaping @Sendable () -> Void) {
    queue.async {
      work()
      lull_release_memory()
    }
  }

  /// More and more of the disk is taken by what stays, so it is said.
  private func removeOld() {
    guard let keep = options.keep else { return }
    do { try PartFolder.removeOldest(in: folder.path, run: run, keeping: keep) } catch {
      Console.notice("old parts stay in \(folder.path), so remove them yourself: \(error)")
    }
  }

  // MARK: - Flights

  private func path(of trigger: TriggerEvent) -> String {
    let name =
      "\(run.split(separator: "-").dropLast(2).joined(separator: "-"))-\(TraceName.stamp())-\(trigger.kind.rawValue)"
    var candidate = "\(folder.path)/\(name).perf.data"
    var number = 2
    while access(candidate, F_OK) == 0 {
      candidate = "\(folder.path)/\(name)-\(number).perf.data"
      number += 1
    }
    return candidate
  }

  private func take(_ path: String, _ trigger: TriggerEvent, _ held: HeldFiles) {
    written.withLock { $0 += 1 }
    if !isQuiet { Console.notice("\(trigger.condition): trace written to \(path)") }
    afterwards { [self] in
      embed(path, held)
      send(path)
      guard wantsReports else { return }
      do {
        let analysis = try analysis.analysis(of: [path])
        let base = path.dropLast(".perf.data".count)
        for (format, suffix) in [(ReportFormat.text, ".txt"), (.html, ".html")] {
          let text = try analysis.text(as: format, color: false)
          try OutputFile.write(Array(text.utf8), to: base + suffix, overwrite: false)
        }
      } catch {
        Console.notice("no report of \(path): \(error)")
      }
    }
  }
}
