import ArgumentParser
import Rules

/// `lull rules`: the catalogue, with the guide's sections.
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "The rules, and the guide's sections that they stand on.",
    subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  /// `lull rules list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "One line for each rule.")

    func run() {
      Console.ignoreBrokenPipes()
      Console.output(RuleDocumentation.list())
    }
  }

  /// `lull rules show ID`
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Everything about one rule.")

    @Argument(help: "The rule's id, as `lull rules` lists it.")
    var id: String

    func run() throws {
      Console.ignoreBrokenPipes()
      guard let text = RuleDocumentation.show(id) else {
        throw Failure(
          status: Exit.usage,
          message: "there is no rule “\(id)”; `lull rules` lists those there are")
      }
      Console.output(text)
    }
  }
}
