import ArgumentParser
import Files
import Reporting
import TraceModel

/// `lull redact`: a trace that can be shown to others.
struct RedactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Copy a trace without host, user, paths and addresses, keeping every figure.",
    discussion: """
      What the program itself says, such as arguments that are no paths or names of its functions, \
      stays: read the copy's report before you share it.
      """)

  @Argument(help: "The trace to copy.")
  var trace: String

  @Option(name: .shortAndLong, help: "The copy to write.")
  var output: String

  @Flag(help: "Overwrite the copy where it exists.")
  var force = false

  @OptionGroup var log: LogOptions

  func run() throws {
    Console.ignoreBrokenPipes()
    let trace = trace
    try OutputFile.produce(output, overwrite: force) { beside in
      try Redaction.redact(tracePath: trace, to: beside)
    }
  }
}
