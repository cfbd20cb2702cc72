/// The words of a command to record, of which the parser sees the first only: its time grows with the square of their
/// number, to a minute for 20,000.
struct RecordedWords {
  /// What the parser is given.
  let parsed: ArraySlice<String>
  private let command: ArraySlice<String>

  init(_ words: ArraySlice<String>) {
    guard words.first == RecordCommand.configuration.commandName,
      let end = words.firstIndex(of: "--")
    else {
      (parsed, command) = (words, [])
      return
    }
    command = words[(end + 1)...]
    parsed = words[..<min(end + 2, words.endIndex)]
  }

  /// Gives the command the words that were not parsed.
  func complete(_ record: inout RecordCommand) {
    if !command.isEmpty { record.command = Array(command) }
  }
}
