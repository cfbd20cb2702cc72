import ArgumentParser
import Recording

/// `lull mark`: put a named moment into a recording that is being made.
struct MarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Put a named moment into a recording that is being made.",
    discussion: """
      ready ends the launch; background, inactive, foreground and terminating begin those phases, \
      which have rules of their own; any other name is shown in the report. The process may also \
      be a child of the recorded one.
      """)

  @Argument(help: "The process that is being recorded, or one that it started.")
  var pid: Int32

  @Argument(help: "The name: ready, background, foreground, inactive, terminating, or your own.")
  var name: String

  @OptionGroup var log: LogOptions

  func validate() throws {
    if pid <= 0 { throw ValidationError("the process must be above zero; `ps` lists processes.") }
    if !MarkMessage.isName(name) {
      throw ValidationError(
        "a mark's name has 1 to \(MarkMessage.longestName) bytes and no control characters.")
    }
  }

  func run() throws {
    try MarkMessage(pid: pid, how: "command", name: name).send()
  }
}
