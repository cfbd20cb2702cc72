import ArgumentParser
import FoundationEssentials
import Recording
import Symbols

/// `lull doctor`: what can be recorded here.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "What can be recorded here, and the smallest fix for what cannot.")

  @Flag(help: "Print JSON instead of a table.")
  var json = false

  func run() throws {
    Console.ignoreBrokenPipes()
    let report = CapabilityReport.probe(readsSymbols: ModuleReader.isAvailable)
    guard json else {
      let within = RecorderKind.insteadOfTracepoints.map { "\n\($0)\n" } ?? ""
      return Console.output(report.table(width: 80) + within)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    Console.output(String(decoding: try encoder.encode(report), as: UTF8.self) + "\n")
  }
}
