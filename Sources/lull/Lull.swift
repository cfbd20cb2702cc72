import ArgumentParser
import Quantities

/// The command line of Lull: one file per subcommand, each a thin shell over the modules.
struct Lull: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lull",
    abstract: "What a Swift process costs: power and performance, recorded and scored.",
    discussion: """
      To begin: `lull record -- ./MyProgram`, or `lull top` for what runs already. `lull doctor` says what can be \
      recorded here.
      """,
    version: Version.text,
    subcommands: [
      RecordCommand.self, TopCommand.self, ReportCommand.self, ExportCommand.self,
      RulesCommand.self,
      EnergyCommand.self,
      MarkCommand.self, PressureCommand.self, RedactCommand.self,
      DoctorCommand.self,
      CheckCommand.self, CompareCommand.self, MergeCommand.self,
    ])

  /// Refuses a word in a command's place that is none; of that the parser says only that it is unexpected.
  static func checkCommand(_ word: String?) throws {
    guard let word, !word.hasPrefix("-") else { return }
    let known = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    if !known.contains(word) {
      throw ValidationError(
        "there is no command “\(word)”: \(NearestName.hint(word, among: known, atMost: 20))")
    }
  }
}
