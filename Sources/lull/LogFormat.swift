import ArgumentParser

/// How Lull says on standard error what goes on.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json

  /// What the command line asks for. Known before it is parsed, since what is wrong with it is said so too; what comes
  /// after `--` is another program's.
  static let wanted: LogFormat = {
    let words = Array(CommandLine.arguments.dropFirst().prefix { $0 != "--" })
    let name = "--log-format"
    let values = words.indices.compactMap { index -> String? in
      if words[index].hasPrefix(name + "=") {
        return String(words[index].dropFirst(name.count + 1))
      }
      return words[index] == name && index + 1 < words.count ? words[index + 1] : nil
    }
    return values.last.flatMap(LogFormat.init) ?? .text
  }()
}

/// What all commands say, and how.
struct LogOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How to say on standard error what goes on: text (default), or json, a line for each message, and no progress.",
      valueName: "format"))
  var logFormat = LogFormat.text
}
