import ArgumentParser
import Quantities
import Signals

/// `lull energy`: what events are taken to cost, and where the figures come from.
struct EnergyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "energy",
    abstract: "What events are taken to cost, and where the figures come from.",
    subcommands: [List.self], defaultSubcommand: List.self)

  /// `lull energy list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "Each prior with its value, its bounds and its source, and the radio profiles.",
      discussion: """
        A file of the form that --toml prints, given to --energy of lull's other commands, is put over these figures: \
        parts of it are enough, and a number alone stands for a value without bounds.
        """)

    @OptionGroup var prices: EnergyOptions

    @Flag(help: "Print Lull's own file, as one to change.")
    var toml = false

    func run() throws {
      Console.ignoreBrokenPipes()
      if toml { return Console.output(EnergyFile.builtInText) }
      Console.output(try EnergyList.text(prices.tables(), machine: prices.machine))
    }
  }
}

/// The options about what events cost.
struct EnergyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A TOML file of what events cost, put over Lull's own; `lull energy list --toml` prints that.",
      valueName: "file"))
  var energy: String?

  @Option(
    help: ArgumentHelp(
      "The sort of machine whose prices count: phone, board, laptop or server; by default what the recording tells.",
      valueName: "sort"))
  var machine: MachineClass?

  /// The prices; throws where the user's file is wrong.
  func tables() throws -> EnergyTables {
    do { return try EnergyFile.tables(path: energy) } catch {
      throw Failure(status: Exit.usage, message: "\(error)")
    }
  }
}

extension MachineClass: ExpressibleByArgument {}
