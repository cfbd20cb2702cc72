import Files
import Glibc
import Quantities
import Recording
import Signals
import TraceModel

/// A short recording of a program whose doings are known, by which `doctor` tells what is really recorded here.
///
/// The program is Lull itself, run as `lull doctor --exercise FILE`: it waits, computes, writes and sends.
struct Trial: Codable {
  /// What came of it for one signal.
  struct Outcome: Codable {
    var signal: String
    /// Whether what the program did was found in the trace.
    var isRecorded: Bool
    /// What was found, or why nothing was.
    var detail: String
  }

  /// What is recorded: `wrap` or `attach`.
  var mode: String
  /// By what means, in words.
  var means: String
  var outcomes: [Outcome]

  /// Records and reads back; what fails as a whole has its reason for each signal.
  static func made(attaching: Bool) -> Trial {
    do { return try run(attaching: attaching, recorder: .auto) } catch {
      let reason =
        (error as? RecordingError)?.message ?? (error as? Failure)?.message
        ?? String(describing: error)
      return Trial(
        mode: attaching ? "attach" : "wrap", means: "not at all",
        outcomes: [Outcome(signal: "all", isRecorded: false, detail: reason)])
    }
  }

  /// As lines for people.
  var table: String {
    let what = mode == "wrap" ? "started by Lull" : "running already (--pid)"
    let rows = outcomes.map { outcome in
      let name = outcome.signal.padded(to: 14)
      let state = (outcome.isRecorded ? "recorded" : "NOT recorded").padded(to: 14)
      return CapabilityReport.wrapped(
        outcome.detail, first: "  " + name + state, rest: String(repeating: " ", count: 30),
        width: 80
      ).joined(separator: "\n")
    }
    let heading = CapabilityReport.wrapped(
      "A program \(what) was recorded \(means):", first: "", rest: "", width: 80)
    return (heading + rows).joined(separator: "\n") + "\n"
  }

  /// Records and reads back; throws where not even that is possible.
  static func run(attaching: Bool, recorder: RecorderKind) throws -> Trial {
    let folder = try WorkFolder(nil)
    defer { folder.finish() }
    let file = Exercise.place(besides: folder.path) + "/lull-exercise-\(getpid())"
    let words = [Subprogram.own, "doctor", "--exercise", file]
    let target = attaching ? try Subprogram(words) : nil
    defer {
      _ = target?.stop()
      unlink(file)
      unlink(Exercise.signal(file))
    }
    var options = RecordingOptions(
      target: target.map { .pid($0.pid) } ?? .command(words), outputPath: folder.file("trial"))
    options.recorder = recorder
    options.counters = []
    options.duration = TimeSpan(seconds: 20)
    options.onReady = { _ in Exercise.begin(file) }
    let result = try Recorder(options: options).run()
    let trace = try Trace.load(path: result.tracePath)
    var measuring = MeasurementOptions()
    measuring.includeLoopback = true
    let signals = try Measurement.measure(trace, options: measuring)
    return Trial(
      mode: attaching ? "attach" : "wrap", means: means(of: trace),
      outcomes: outcomes(signals, trace, file: file))
  }

  private static func means(of trace: Trace) -> String {
    switch trace.capture?.recorder {
    case "process": "within the process"
    case "outside":
      trace.capture?.recordsSwitches == true
        ? "from outside, beside the kernel's switches" : "from outside"
    case "kernel": "by programs in the kernel"
    default: trace.eventNames.contains("sched:sched_switch") ? "by perf events" : "by /proc alone"
    }
  }

  private static func outcomes(
    _ signals: SignalSet, _ trace: Trace, file: String
  ) -> [Outcome] {
    func outcome(_ name: String, _ kind: SignalKind, _ found: (isRight: Bool, text: String)?)
      -> Outcome
    {
      if let found { return Outcome(signal: name, isRecorded: found.isRight, detail: found.text) }
      return Outcome(
        signal: name, isRecorded: false, detail: signals.unavailable[kind] ?? "not measured")
    }
    let samples = trace.processorSamples.count { $0.pid == trace.subject.pid && $0.stack != nil }
    let noSamples = trace.capture?.unavailable.first { $0.signal == "cpu samples" }?.reason
    return [
      outcome("main thread", .mainThread, signals.mainThread.map(mainThread)),
      outcome(
        "wakeups", .wakeups,
        signals.wakeups.map { ($0.total > 0, Figures.count($0.total, "wakeup")) }),
      outcome("network", .network, signals.network.map(network)),
      outcome("disk", .disk, signals.disk.map { disk($0, file) }),
      outcome(
        "memory", .memory,
        signals.memory.map {
          ($0.peakFootprintBytes > 0, "a footprint of \(Figures.bytes($0.peakFootprintBytes))")
        }),
      outcome(
        "CPU time", .cpu,
        signals.cpu.map {
          (
            $0.totalSeconds >= 0.9 * Exercise.computedSeconds,
            "\(Figures.seconds($0.totalSeconds)) of CPU time"
          )
        }),
      Outcome(
        signal: "CPU samples", isRecorded: samples > 0,
        detail: samples > 0 ? Figures.count(samples, "sample") : noSamples ?? "none came"),
    ]
  }

  private static func mainThread(_ main: MainThreadSignal) -> (Bool, String) {
    let slept = main.blockedByCause[.sleep] ?? 0
    let isNamed = main.blockings.contains { blocking in
      blocking.stack.contains { $0.module.contains("lull") }
    }
    return (
      abs(slept - Exercise.sleptSeconds) < 0.1 && isNamed,
      "\(Figures.seconds(slept)) asleep of \(Figures.seconds(Exercise.sleptSeconds))"
        + (isNamed ? ", with the function" : ", without the function")
    )
  }

  private static func network(_ network: NetworkSignal) -> (Bool, String) {
    (
      network.bytesSent == Exercise.sentBytes,
      "\(Figures.bytes(network.bytesSent)) sent of \(Figures.bytes(Exercise.sentBytes))"
        + (network.countsCalls ? "" : ", calls not counted")
    )
  }

  private static func disk(_ disk: DiskSignal, _ file: String) -> (Bool, String) {
    let own = disk.files.first { $0.path == file }?.writes ?? 0
    return (
      own == Exercise.writes, "\(own) of \(Figures.count(Exercise.writes, "write")), by path"
    )
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
