import ArgumentParser
import FoundationEssentials
import Recording
import Symbols

/// `lull doctor`: what can be recorded here.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "What can be recorded here, and the smallest fix for what cannot.",
    discussion: """
      What is recorded is told by two short recordings of a program that waits, computes, writes and sends: of one \
      that is started, as by `lull record -- COMMAND`, and of one that runs already, as by `lull record --pid PID`.
      """)

  @Flag(help: "Print JSON instead of a table.")
  var json = false

  /// Be the program that is recorded; with the file to write to.
  @Option(help: .hidden)
  var exercise: String?

  /// The report with what the recordings said, for programs.
  private struct Document: Encodable {
    var report: CapabilityReport
    var trials: [Trial]

    private enum Keys: String, CodingKey { case trials }

    func encode(to encoder: any Encoder) throws {
      try report.encode(to: encoder)
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(trials, forKey: .trials)
    }
  }

  @OptionGroup var log: LogOptions

  func run() throws {
    Console.ignoreBrokenPipes()
    if let exercise { return Exercise.perform(exercise) }
    let report = CapabilityReport.probe(
      readsSymbols: ModuleReader.isAvailable, loadsPrograms: true)
    let trials = [false, true].map { Trial.made(attaching: $0) }
    guard json else {
      let within = RecorderKind.insteadOfTracepoints.map { "\n\($0)\n" } ?? ""
      return Console.output(
        trials.map(\.table).joined(separator: "\n") + "\n" + report.table(width: 80) + within)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let document = Document(report: report, trials: trials)
    Console.output(String(decoding: try encoder.encode(document), as: UTF8.self) + "\n")
  }
}
