import ArgumentParser
import Reporting
import Signals
import TraceModel

/// `lull export`: a trace in, a file for another tool out.
struct ExportCommand: ParsableCommand {
  /// What other tools read.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    /// Flame graph tools: a stack and a number a line.
    case folded
    /// profiler.firefox.com.
    case firefox
    /// ui.perfetto.dev.
    case perfetto
    /// pprof.
    case pprof
    /// Collectors of OpenTelemetry, and what takes their files.
    case otlp
    /// Spreadsheets and data frames.
    case csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a trace for other tools.")

  @Argument(
    help: ArgumentHelp(
      """
      A trace that `lull record`, `perf record` or trace-cmd made, or the files of --switch-output, in order; - is \
      standard input.
      """,
      valueName: "trace"))
  var traces: [String]

  @Option(
    help:
      "The tool's format: folded (flame graphs), firefox, perfetto, pprof, otlp (OpenTelemetry) or csv."
  )
  var format = Format.folded

  @Option(
    help: ArgumentHelp(
      "Of folded, which stacks: cpu and offcpu (in microseconds), wakeups (their number), writes and sends (bytes).",
      valueName: "signal"),
    completion: .values(FoldedStacks.Kind.self), transform: Self.kind)
  var what = FoldedStacks.Kind.cpu

  @Option(
    help:
      "Of csv, which table: \(CSVExport.Table.allCases.map(\.rawValue).joined(separator: ", ")).",
    completion: .values(CSVExport.Table.self), transform: Self.table)
  var table = CSVExport.Table.threads

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var log: LogOptions

  @OptionGroup var destination: OutputOptions

  @Sendable static func kind(_ name: String) throws -> FoldedStacks.Kind {
    guard let kind = FoldedStacks.Kind(rawValue: name) else {
      let known = FoldedStacks.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no signal “\(name)” to export; there are \(known).")
    }
    return kind
  }

  @Sendable static func table(_ name: String) throws -> CSVExport.Table {
    guard let table = CSVExport.Table(rawValue: name) else {
      let known = CSVExport.Table.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no table “\(name)” to export; there are \(known).")
    }
    return table
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    try destination.check()
    let traces = try StandardInput.resolve(traces)
    let (trace, contents) = try Progress.during("exporting") { () throws -> (Trace, [UInt8]?) in
      let trace = try analysis.trace(at: traces)
      return (trace, try self.bytes(of: trace))
    }
    guard let bytes = contents else {
      throw Failure(
        status: Exit.empty,
        message: "\(traces.joined(separator: ", ")) holds no \(self.contents) of "
          + "\(trace.subject.name) (pid \(trace.subject.pid)), so that nothing was written; `lull report` says what "
          + "it holds, and --process chooses another process")
    }
    try destination.write(bytes)
  }

  /// What the file would have in it; nil where that is nothing.
  private func bytes(of trace: Trace) throws -> [UInt8]? {
    switch format {
    case .folded:
      let lines = FoldedStacks.lines(trace, what)
      return lines.isEmpty ? nil : Array(lines.map { $0 + "\n" }.joined().utf8)
    case .csv: return CSVExport.render(trace, table).map { Array($0.utf8) }
    case .pprof: return try PprofExport.render(trace)
    case .otlp: return try OTLPExport.render(trace, version: Version.text)
    case .perfetto: return try PerfettoExport.render(trace, analysis.signals(of: trace))
    case .firefox: return try FirefoxExport.render(trace, analysis.signals(of: trace))
    }
  }

  /// In words.
  private var contents: String {
    switch format {
    case .folded:
      switch what {
      case .cpu: "samples of the CPUs with stacks"
      case .offcpu: "waits"
      case .wakeups: "wakeups"
      case .writes: "writes to files"
      case .sends: "sends on internet sockets"
      }
    case .csv: table == .footprint ? "readings of memory" : table.rawValue
    case .pprof, .otlp: "samples of the CPUs or waits with stacks"
    case .perfetto, .firefox: "samples, waits or readings of memory"
    }
  }
}
