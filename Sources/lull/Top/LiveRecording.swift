import Glibc
import Quantities
import Reporting
import Rules
import Signals
import Symbols
import TraceModel

/// A recording that is looked at while it is made: by another Lull, into a file that is given up for a new one when it
/// has grown.
final class LiveRecording {
  private struct Segment {
    var recorder: Subprogram
    var path: String
    var began = ContinuousClock.now

    var bytes: UInt64 {
      var status = stat()
      return stat(path, &status) == 0 ? UInt64(max(0, status.st_size)) : 0
    }
  }

  private let pid: Int32
  private let options: AnalysisOptions
  private let folder: WorkFolder
  private var current: Segment
  /// Takes over when it holds enough to look at.
  private var next: Segment?
  /// Files that were read for names, from one look to the next.
  private let modules = ModuleCache()

  /// What reads in a fraction of a second.
  private static let largest: UInt64 = 64 << 20
  /// What the new file must hold before the old one is given up, in seconds, unless it is half as large by then.
  private static let overlap = 20.0
  /// Seconds that are shown.
  private static let shown = 60.0

  init(pid: Int32, options: AnalysisOptions) throws {
    self.pid = pid
    self.options = options
    folder = try WorkFolder(nil)
    current = try Self.start(pid, folder)
  }

  /// Ends the recording and removes its files.
  func stop() {
    for segment in [current, next].compactMap({ $0 }) { segment.recorder.stop() }
    folder.finish()
  }

  private static func start(_ pid: Int32, _ folder: WorkFolder) throws -> Segment {
    let path = folder.file("live")
    let words = [
      Subprogram.own, "record", "--quiet", "--no-report", "--no-embed-symbols",
      "--ends-with-parent", "-o", path, "--pid", "\(pid)",
    ]
    return Segment(recorder: try Subprogram(words, log: path + ".log"), path: path)
  }

  /// Whether there is something left to record.
  var isRunning: Bool { current.recorder.isRunning }

  /// Why the recorder ended, as it said itself.
  var lastWords: String? {
    guard let said = try? TextFile.read(current.path + ".log") else { return nil }
    return said.split(separator: "\n").last.map(String.init)
  }

  /// Begins a new file when the present one is large, and goes over to it when it holds enough.
  func turnOver() throws {
    if let next {
      let age = ContinuousClock.now - next.began
      let holdsEnough = age >= .seconds(Self.overlap) || next.bytes > Self.largest / 2
      guard holdsEnough || !current.recorder.isRunning else { return }
      current.recorder.stop()
      unlink(current.path)
      current = next
      self.next = nil
    } else if current.bytes > Self.largest {
      next = try Self.start(pid, folder)
    }
  }

  /// What was recorded up to now; nil before the first events are there.
  ///
  /// - Parameter moments: what counts as now, in seconds.
  func view(moments: Double) throws -> LiveView? {
    let bytes = current.bytes
    let trace: Trace
    do {
      trace = try Trace.load(
        path: current.path, options: TraceOptions(isOngoing: true), modules: modules)
    } catch { return nil }
    let recorded = trace.seconds(trace.end)
    guard recorded >= min(moments, 1) else { return nil }
    return LiveView(
      now: try report(trace.last(moments)), minute: try report(trace.last(Self.shown)),
      recordedSeconds: recorded, recordedBytes: bytes)
  }

  private func report(_ trace: Trace) throws -> Report {
    let signals = try options.signals(of: trace)
    return ReportBuilder.build(
      trace: trace, signals: signals,
      evaluation: Evaluator.evaluate(
        signals, configuration: try options.scoringConfiguration(), battery: .standard),
      generatorVersion: Version.text)
  }

  /// Keeps what was recorded up to now as a trace, with names; gives its path.
  func write() throws -> String {
    let path = TraceName.choose(program: TraceName.program(pid: pid))
    try TraceCopy.make(of: current.path, at: path)
    return path
  }
}
