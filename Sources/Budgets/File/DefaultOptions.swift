import TOMLKit

/// Options of `lull record` and `lull report` that a project's file sets for whoever works on it.
///
/// None of them names a file to write, or a program to run: a file that comes with a checkout must not do that.
package enum DefaultOptions {
  private static let shared = [
    "battery", "energy", "full-names", "machine", "process", "radio", "radio-loopback", "scoring",
  ]
  /// The keys of each command's table.
  package static let known: [String: [String]] = [
    "record": shared + ["counters", "duration", "interval", "keep-stacks", "recorder", "scope"],
    "report": shared,
  ]

  /// The words that a command line begins with by the file's text; none where it says nothing of the command.
  package static func words(
    of command: String, in text: String, path: String
  ) throws(BudgetFileError) -> [String] {
    guard let keys = known[command] else { return [] }
    let document = StrictTable.Document(path: path, lines: TOMLLines(text))
    let root = StrictTable(
      table: try BudgetParser.table(text, path), place: "", document: document)
    try root.allow(BudgetParser.sections)
    guard let table = try root.table(command) else { return [] }
    try table.allow(keys)
    var words: [String] = []
    for key in table.table.keys.sorted() {
      guard let value = table.table[key] else { continue }
      if let isSet = value.bool {
        if isSet { words.append("--\(key)") }
      } else if let text = value.string ?? value.int.map(String.init)
        ?? value.double.map({ "\($0)" })
      {
        // One word, so that a value which begins with a dash is no option.
        words.append("--\(key)=\(text)")
      } else {
        throw table.error("“\(key)” must be a text, a number or true", at: key)
      }
    }
    return words
  }
}
