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
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a trace's stacks for other tools.")

  @Argument(help: "A trace that `lull record` or `perf record` made.")
  var trace: String

  @Option(help: "The tool's format: folded (for flame graphs).")
  var format = Format.folded

  @Option(
    help: ArgumentHelp(
      "Which stacks: cpu and offcpu (in microseconds), wakeups (their number), writes and sends (bytes).",
      valueName: "signal"),
    transform: Self.kind)
  var what = FoldedStacks.Kind.cpu

  @Option(
    help: ArgumentHelp(
      "The process to export, instead of the one that the recording is about.",
      valueName: "name|pid"))
  var process: String?

  @Flag(help: "Show functions with their modules and types.")
  var fullNames = false

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

  func run() throws {
    Console.ignoreBrokenPipes()
    let trace = try Trace.load(
      path: trace, options: TraceOptions(process: process, fullNames: fullNames))
    let text: String
    switch format {
    case .folded:
      text = FoldedStacks.lines(trace, what).map { $0 + "\n" }.joined()
    }
    guard let output else { return Console.output(text) }
    try OutputFile.write(Array(text.utf8), to: output, overwrite: force)
  }
}
