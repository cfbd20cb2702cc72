import ArgumentParser
import Files
import Reporting
import TraceModel

/// `lull redact`: a trace that can be shown to others.
struct RedactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Copy a trace without host, user, paths, addresses and arguments, with all figures.",
    discussion: """
      What programs, their options, threads, queues, marks, tests and functions are called stays, and so do \
      numbers of up to five digits, except those of options such as --token: read the copy's report before you share \
      it. A trace with events that Lull does not understand is refused.
      """)

  @Argument(help: "The trace to copy.")
  var trace: String

  @Option(name: .shortAndLong, help: "The copy to write.")
  var output: String

  @Flag(help: "Overwrite the copy where it exists.")
  var force = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    if output == "-" { throw ValidationError("a trace is written in place: name a file.") }
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    let trace = trace
    try OutputFile.produce(output, overwrite: force) { beside in
      try Redaction.redact(tracePath: trace, to: beside)
    }
  }
}
