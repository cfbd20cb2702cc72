import ArgumentParser
import Files
import Glibc
import Quantities
import Recording
import Reporting
import Symbols
import TraceModel

/// `lull record`: wrap a command or attach to a process, then print the scored report.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a command or a running process, and score it.",
    usage: """
      lull record [options] -- COMMAND [ARG...]
      lull record [options] --pid PID|NAME
      """,
    discussion: """
      The command keeps its input, output and terminal; the report goes to standard error, and \
      the exit status is the command's own (128 + n for signal n, 125 when Lull itself failed). \
      The first Ctrl-C is the command's, the second asks it to end, the third ends the recording.
      """)

  @Option(
    name: .customLong("pid"),
    help: ArgumentHelp(
      "Attach to a running process, by its id or its program's name, instead of starting a command.",
      valueName: "pid|name"), transform: RunningProcess.init)
  var process: RunningProcess?

  @Flag(
    inversion: .prefixedNo,
    help: """
      With --pid, record the children that the process has already, and those that it starts later \
      (--children), or the process alone (--no-children).
      """
  )
  var children = true

  @Option(
    help: "How long to record, such as 30s, 500ms or 2m; until the end by default.",
    transform: DurationArgument.parse)
  var duration: TimeSpan?

  @Option(
    help: "With --pid, how long to wait before recording, such as 5s.",
    transform: DurationArgument.parse)
  var delay: TimeSpan?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      The trace to write, by default <program>-<yyyymmdd-hhmmss>.perf.data here. With - it goes to standard output, \
      in the form of `perf record -o -`; what the command itself prints then goes to standard error.
      """))
  var output: String?

  @Flag(help: "Overwrite the trace, and the page of --html, where they exist.")
  var force = false

  @Option(
    help: "How often memory is read: by default 100ms, with --rotate 1s.",
    transform: DurationArgument.parse)
  var interval: TimeSpan?

  @Option(
    help: ArgumentHelp(
      "Counters by their libpfm4 names, separated by commas; 'none' for none.",
      valueName: "a,b"))
  var counters: String?

  @Option(
    help: "Whose scheduler events are recorded: system (default) or process.",
    completion: .list(["system", "process"]), transform: Self.scope)
  var scope = RecordingOptions.Scope.system

  @Option(
    help: ArgumentHelp(
      "How it is recorded: perf (the kernel's events), kernel (programs in the kernel beside these, which record every"
        + " switch, wakeup and transfer at any rate), process (a library in the program, which needs no privilege; of"
        + " what runs already, LullAgent), outside (looks at its threads, which needs none either and takes what"
        + " runs already), or auto (default): kernel, perf, process or outside, the first that can be.",
      valueName: "recorder"),
    completion: .values(RecorderKind.self), transform: Self.recorder)
  var recorder = RecorderKind.auto

  @Flag(
    inversion: .prefixedNo,
    help: "Store the names of functions in the trace, for other machines and later builds.")
  var embedSymbols = true

  @OptionGroup var parts: PartOptions

  @Option(
    help: ArgumentHelp(
      """
      Send the stacks of the trace, or of each finished file of --rotate and --flight, to a collector of OpenTelemetry \
      as profiles (OTLP over HTTP). OTEL_EXPORTER_OTLP_HEADERS holds what its requests are to say besides.
      """,
      valueName: "http://host:4318"))
  var otlp: String?

  @Flag(
    help:
      "Keep the copies of programs' stacks beside the names that were found by them: a trace several times as large."
  )
  var keepStacks = false

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var log: LogOptions

  @Option(help: ArgumentHelp("Also write the report as a page.", valueName: "file"))
  var html: String?

  @Flag(help: "Open the page of --html at the end.")
  var open = false

  @Flag(
    help:
      "Print the command line with which stock perf records what Lull wants, and record nothing.")
  var printPerfCommand = false

  @Flag(help: "Record only; print no report.")
  var noReport = false

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say more of what goes on.")
  var verbose = false

  /// For `lull top`, whose recorder would go on for ever if that were killed.
  @Flag(help: .hidden)
  var endsWithParent = false

  @Argument(parsing: .postTerminator, help: "The command to record, with its arguments.")
  var command: [String] = []

  @Sendable static func scope(_ name: String) throws -> RecordingOptions.Scope {
    guard let scope = RecordingOptions.Scope(rawValue: name) else {
      throw ValidationError("there is no scope “\(name)”; write system or process.")
    }
    return scope
  }

  @Sendable static func recorder(_ name: String) throws -> RecorderKind {
    guard let recorder = RecorderKind(rawValue: name) else {
      throw ValidationError(
        "there is no recorder “\(name)”; write auto, perf, kernel, process or outside.")
    }
    return recorder
  }

  func validate() throws {
    if printPerfCommand { return }
    if process != nil {
      if !command.isEmpty {
        throw ValidationError("give --pid or a command, not both.")
      }
    } else if command.isEmpty {
      throw ValidationError("give a command after --, or a process with --pid.")
    }
    if !children, process == nil {
      throw ValidationError(
        "--no-children goes with --pid: of a command all that it starts is recorded.")
    }
    if parts.isUsed, html != nil {
      throw ValidationError(
        "--html goes with a recording of one file: a flight's page is beside it.")
    }
    if delay != nil, process == nil {
      throw ValidationError(
        "--delay goes with --pid: of a command, --from 5s leaves the beginning out of the report.")
    }
    if open && html == nil { throw ValidationError("--open needs --html FILE.") }
    if let interval, interval < TimeSpan(nanoseconds: 1_000_000) {
      throw ValidationError("--interval must be 1ms or more.")
    }
  }

  func run() throws {
    if printPerfCommand { return Console.output(StockPerfCommand.line + "\n") }
    // All that can be wrong is found before the command runs.
    _ = try process?.get()
    _ = try analysis.measurement()
    _ = try analysis.scoringConfiguration()
    let collector = try collector()
    if let delay { try wait(delay) }
    let keeper = try partKeeper()
    let options = try recordingOptions(keeper)
    let pipe = try output == "-" ? TracePipe() : nil
    defer { if pipe != nil { unlink(options.outputPath) } }
    let result: RecordingResult
    let parent = getppid()
    do { result = try Recorder(options: options).run() } catch {
      keeper?.leave()
      throw error
    }
    if endsWithParent, getppid() != parent {
      if let keeper { Folder.remove(keeper.folder.path) }
      throw ExitCode(Exit.recordFailed)
    }
    if showsProgress { Progress.clear() }
    Console.ignoreBrokenPipes()
    if let keeper {
      keeper.finish()
      tellProblems(result)
      throw ExitCode(result.truncation == nil ? result.exitStatus : Exit.recordFailed)
    }
    let trace = finish(result)
    let wantsText = !noReport && !quiet
    if wantsText || html != nil {
      let color = LogFormat.wanted == .text && Console.isColored(STDERR_FILENO)
      let (analysis, text) = try Progress.during("making the report", isWanted: !quiet) {
        var analysis = try self.analysis.analysis(of: [result.tracePath], whole: trace)
        if pipe != nil { analysis.report.trace.path = "standard output" }
        return (analysis, try wantsText ? analysis.text(as: .text, color: color) : "")
      }
      if wantsText { Console.report(analysis.report, text: text) }
      if let html { try write(analysis, to: html) }
    }
    send(result.tracePath, to: collector)
    guard result.truncation == nil else {
      throw Failure(
        status: Exit.recordFailed,
        message: "the command itself ended with status \(result.exitStatus)")
    }
    try pipe?.write(traceAt: result.tracePath)
    throw ExitCode(result.exitStatus)
  }

  private var pid: Int32? { process?.pid }

  private var program: String { pid.map(TraceName.program) ?? command.first ?? "" }

  private func partKeeper() throws -> PartKeeper? {
    guard parts.isUsed else { return nil }
    return try PartKeeper(
      parts, program: program, output: output, analysis: analysis, isQuiet: quiet,
      wantsReports: !noReport, wantsNames: embedSymbols, isLookedAt: endsWithParent,
      collector: try collector())
  }

  private func collector() throws -> ProfileCollector? { try otlp.map(ProfileCollector.init) }

  /// A command has the terminal to itself.
  private var showsProgress: Bool { pid != nil && !quiet && Progress.isPossible }

  private func wait(_ delay: TimeSpan) throws {
    Interruption.watch()
    let end = ContinuousClock.now + .nanoseconds(delay.nanoseconds)
    while ContinuousClock.now < end {
      let left = (end - ContinuousClock.now).components
      usleep(
        useconds_t(
          min(100_000, max(1, left.seconds * 1_000_000 + left.attoseconds / 1_000_000_000_000))))
      try Interruption.check("before recording began")
    }
  }

  private func recordingOptions(_ keeper: PartKeeper?) throws -> RecordingOptions {
    let path =
      keeper?.folder.path
      ?? (output == "-" ? TracePipe.temporaryPath : output ?? TraceName.choose(program: program))
    if keeper == nil { try OutputFile.check(path, overwrite: force) }
    if let html { try OutputFile.check(html, overwrite: force, takesStreams: true) }
    var options = RecordingOptions(
      target: pid.map { .pid($0) } ?? .command(command), outputPath: path)
    options.duration = duration
    if let interval {
      options.footprintInterval = interval
    } else if !parts.rotate.isEmpty {
      // Of a whole day, ten readings a second would be most of the trace.
      options.footprintInterval = TimeSpan(seconds: 1)
    }
    options.counters = counters.map { text in
      text == "none" ? [] : text.split(separator: ",").map(String.init)
    }
    options.scope = scope
    options.takesChildren = children
    options.endsWithParent = endsWithParent
    options.recorder = recorder
    options.processHint = analysis.process
    options.parts = keeper?.parts
    options.version = Version.text
    if !quiet {
      let abilities =
        recorder.description(options.target)
        ?? CapabilityReport.probe(readsSymbols: ModuleReader.isAvailable).oneLine
      options.onReady = { _ in Console.notice("recording: " + abilities) }
    }
    if showsProgress { options.onProgress = { Progress.write($0.line) } }
    options.overwrites = force
    options.ownCommandLine = CommandLine.arguments
    return options
  }

  private func tellProblems(_ result: RecordingResult) {
    if !quiet {
      for problem in result.problems { Console.notice(problem) }
    }
    if let truncation = result.truncation { Console.notice(truncation) }
  }

  /// Names go into the trace while the binaries are at hand, so that it reads alike elsewhere.
  ///
  /// - Returns: The trace, where it was read for that.
  private func finish(_ result: RecordingResult) -> Trace? {
    tellProblems(result)
    let held = result.heldFiles.paths
    ModuleCache.elsewhere.withLock { $0 = held }
    var trace: Trace?
    if result.truncation == nil, embedSymbols {
      do {
        try Progress.during("reading names of functions", isWanted: !quiet) {
          trace = try StackEmbedding.embedAndLoad(
            tracePath: result.tracePath, keepsStacks: keepStacks)
        }
      } catch {
        Console.notice(
          "function names are not stored in the trace, so read it on this machine: \(error)")
      }
    }
    guard !quiet else { return trace }
    if output != "-" { Console.notice("trace written to \(result.tracePath)") }
    if verbose {
      let cost = Figures.seconds(result.overheadCPUSeconds)
      Console.notice(
        "recorded \(Figures.seconds(result.durationSeconds)) of process \(result.rootPid), "
          + "\(Figures.count(Int(clamping: result.lostRecords), "record")) lost, \(cost) of CPU time used by Lull"
      )
    }
    return trace
  }

  /// What the collector does not take stays in the trace, and the status is the command's all the same.
  private func send(_ path: String, to collector: ProfileCollector?) {
    guard let collector else { return }
    do {
      let isSent = try Progress.during("sending the profile", isWanted: !quiet) {
        try collector.send(analysis.trace(at: [path]))
      }
      if !isSent { Console.notice("nothing was sent to \(collector.url): the trace has no stacks") }
    } catch { Console.notice((error as? Failure)?.message ?? "\(error)") }
  }

  private func write(_ analysis: Analysis, to path: String) throws {
    let page = try analysis.text(as: .html, color: false)
    try OutputFile.write(Array(page.utf8), to: path, overwrite: force)
    if !quiet { Console.notice("page written to \(path)") }
    if open && !Viewer.open(path) {
      Console.notice("\(path) could not be opened by xdg-open; open it in a browser")
    }
  }
}
