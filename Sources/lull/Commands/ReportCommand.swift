import ArgumentParser
import Reporting

/// `lull report`: a trace in, a report out.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Score a recorded trace.")

  @Argument(
    help: ArgumentHelp(
      """
      A trace that `lull record`, `perf record` or trace-cmd made; the files of --switch-output, in order; or a pcap \
      or pcapng of packets alone. With - a trace is read from standard input.
      """,
      valueName: "trace"))
  var traces: [String]

  @Option(
    help: "The form of the report: text, html, json or markdown.",
    completion: .values(ReportFormat.self), transform: Self.format)
  var format = ReportFormat.text

  @Option(
    help: ArgumentHelp(
      "A pcap or pcapng of the same run: its packets take the place of the modelled ones.",
      valueName: "file"))
  var pcap: String?

  @OptionGroup var destination: OutputOptions

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var log: LogOptions

  @Sendable static func format(_ name: String) throws -> ReportFormat {
    guard let format = ReportFormat(rawValue: name) else {
      throw ValidationError(ReportFormat.unknownMessage(name))
    }
    return format
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    try destination.check()
    let traces = try StandardInput.resolve(traces)
    let text = try Progress.during("making the report") {
      try analysis.analysis(of: traces, capture: pcap).text(
        as: format, color: destination.isColored)
    }
    try destination.write(text)
  }
}
