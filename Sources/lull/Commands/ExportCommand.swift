import ArgumentParser
import OutputFiles
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
    /// Spreadsheets and data frames.
    case csv
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a trace for other tools.")

  @Argument(
    help: ArgumentHelp(
      "A trace that `lull record`, `perf record` or trace-cmd made; or the files of --switch-output, in order.",
      valueName: "trace"))
  var traces: [String]

  @Option(
    help:
      "The tool's format: folded (flame graphs), firefox (profiler.firefox.com), perfetto, pprof or csv."
  )
  var format = Format.folded

  @Option(
    help: ArgumentHelp(
      "Of folded, which stacks: cpu and offcpu (in microseconds), wakeups (their number), writes and sends (bytes).",
      valueName: "signal"),
    transform: Self.kind)
  var what = FoldedStacks.Kind.cpu

  @Option(
    help:
      "Of csv, which table: \(CSVExport.Table.allCases.map(\.rawValue).joined(separator: ", ")).",
    transform: Self.table)
  var table = CSVExport.Table.threads

  @OptionGroup var analysis: AnalysisOptions

  @Option(name: .shortAndLong, help: "The file to write, instead of standard output.")
  var output: String?

  @Flag(help: "Overwrite the output file where it exists.")
  var force = false

  @Sendable static func kind(_ name: String) throws -> FoldedStacks.Kind {
    guard let kind = FoldedStacks.Kind(rawValue: name) else {
      let known = FoldedStacks.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no signal '\(name)' to export; there are \(known).")
    }
    return kind
  }

  @Sendable static func table(_ name: String) throws -> CSVExport.Table {
    guard let table = CSVExport.Table(rawValue: name) else {
      let known = CSVExport.Table.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no table '\(name)' to export; there are \(known).")
    }
    return table
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    let trace = try analysis.trace(at: traces)
    let bytes: [UInt8]
    switch format {
    case .folded:
      bytes = Array(FoldedStacks.lines(trace, what).map { $0 + "\n" }.joined().utf8)
    case .csv: bytes = Array(CSVExport.render(trace, table).utf8)
    case .pprof: bytes = try PprofExport.render(trace)
    case .perfetto: bytes = try PerfettoExport.render(trace, analysis.signals(of: trace))
    case .firefox: bytes = try FirefoxExport.render(trace, analysis.signals(of: trace))
    }
    guard let output else { return Console.output(bytes) }
    try OutputFile.write(bytes, to: output, overwrite: force)
  }
}
