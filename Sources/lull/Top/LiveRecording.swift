import Glibc
import PerfData
import Quantities
import Reporting
import Rules
import Signals
import Symbols
import TraceModel

/// A recording that is looked at while it is made: by another Lull, into files of which the last ones are kept.
final class LiveRecording {
  private let pid: Int32
  private let options: AnalysisOptions
  private let folder: WorkFolder
  private let recorder: Subprogram
  /// Seconds that are written when it is asked for.
  let written: Double
  /// When each file was first there.
  private var seen: [Int: ContinuousClock.Instant] = [:]
  /// Files that were read for names, from one look to the next.
  private let modules = ModuleCache()

  /// What reads in a fraction of a second.
  private static let largest: UInt64 = 64 << 20
  /// Seconds that are shown.
  private static let shown = 60.0

  /// Records a process. `written` seconds, and no less than are shown, are kept as long as there is room.
  init(pid: Int32, options: AnalysisOptions, written: Double) throws {
    self.pid = pid
    self.options = options
    self.written = written
    folder = try WorkFolder(nil)
    let words = [
      Subprogram.own, "record", "--quiet", "--no-report", "--no-embed-symbols",
      "--ends-with-parent",
      // What is kept begins with a file, and is that much more than was asked for.
      "--rotate", "10s", "--rotate", "\(Self.largest / 4)B", "--interval", "100ms",
      "-o", folder.path, "--pid", "\(pid)",
    ]
    recorder = try Subprogram(words, log: folder.path + "/log")
  }

  /// Ends the recording and removes its files.
  func stop() {
    recorder.stop()
    folder.finish()
  }

  /// Whether there is something left to record.
  var isRunning: Bool { recorder.isRunning }

  /// Why the recorder ended, as it said itself.
  var lastWords: String? {
    guard let said = try? TextFile.read(folder.path + "/log") else { return nil }
    return said.split(separator: "\n").last.map(String.init)
  }

  /// The files that there are, with the bytes of each.
  private func parts() throws -> [(part: PartFolder.Part, bytes: UInt64)] {
    try (PartFolder.parts(in: folder.path) ?? []).map { part in
      var status = stat()
      return (part, stat(part.path, &status) == 0 ? UInt64(max(0, status.st_size)) : 0)
    }
  }

  /// Removes the files whose last moment is too long ago, and of too many bytes the oldest.
  func removeOld() throws {
    var parts = try parts()
    let now = ContinuousClock.now
    for (part, _) in parts where seen[part.number] == nil { seen[part.number] = now }
    while parts.count > 2 {
      let age = now - (seen[parts[1].part.number] ?? now)
      guard
        age > .seconds(max(Self.shown, written))
          || parts.reduce(0, { $0 + $1.bytes }) > Self.largest
      else { return }
      unlink(parts[0].part.path)
      seen[parts.removeFirst().part.number] = nil
    }
  }

  /// What was recorded up to now; nil before the first events are there.
  ///
  /// - Parameter moments: what counts as now, in seconds.
  func view(moments: Double) throws -> LiveView? {
    let parts = try parts()
    let trace: Trace
    do {
      trace = try Trace.load(
        series: parts.map(\.part.path), options: TraceOptions(isOngoing: true), modules: modules)
    } catch { return nil }
    let recorded = trace.seconds(trace.end)
    guard recorded >= min(moments, 1) else { return nil }
    return LiveView(
      now: try report(trace.last(moments)), minute: try report(trace.last(Self.shown)),
      recordedSeconds: recorded, recordedBytes: parts.reduce(0) { $0 + $1.bytes })
  }

  private func report(_ trace: Trace) throws -> Report {
    let signals = try options.signals(of: trace)
    return ReportBuilder.build(
      trace: trace, signals: signals,
      evaluation: Evaluator.evaluate(
        signals, configuration: try options.scoringConfiguration(), battery: .standard),
      generatorVersion: Version.text)
  }

  /// Writes the last seconds as a trace, with names; gives its path and how many seconds it is of.
  func write() throws -> (path: String, seconds: Double) {
    let path = TraceName.choose(program: TraceName.program(pid: pid))
    let seconds = try TraceCopy.make(
      ofLast: written, in: parts().map(\.part.path), at: path, because: "lull top")
    return (path, seconds)
  }
}
