import ArgumentParser
import Budgets
import Glibc
import Reporting

/// Where the outcome of a check goes besides the terminal.
struct CheckOutputs: ParsableArguments {
  @Option(help: ArgumentHelp("Write the check as JSON.", valueName: "path"))
  var json: String?

  /// Writes what was asked for; files of an earlier check are replaced.
  func write(_ check: CheckResult, all: Bool) throws {
    try write(json) { try CheckJSON.render(check) }
    Console.output(
      CheckText.render(
        check, options: TextOptions(color: Console.isColored(STDOUT_FILENO)), all: all))
  }

  private func write(_ path: String?, _ text: () throws -> String) throws {
    guard let path else { return }
    try OutputFile.write(Array(text().utf8), to: path, overwrite: true)
  }
}
