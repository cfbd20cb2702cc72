/// The lines on which the keys of a TOML document stand, which its parser does not tell.
///
/// The document is known to be well formed. A place is written `budget[2].path`.
struct TOMLLines {
  private var lines: [String: Int] = [:]

  init(_ text: String) {
    var counts: [String: Int] = [:]
    var table = ""
    var scanner = Scanner(text)
    while let statement = scanner.next() {
      let content = statement.text
      if content.hasPrefix("[[") {
        let name = Self.key(content.dropFirst(2).prefix { $0 != "]" })
        let index = counts[name, default: 0]
        counts[name] = index + 1
        table = "\(name)[\(index)]"
        lines[table] = statement.line
        if index == 0 { lines[name] = statement.line }
      } else if content.hasPrefix("[") {
        table = Self.key(content.dropFirst().prefix { $0 != "]" })
        // A table inside the latest item of a list of tables.
        if let dot = table.firstIndex(of: "."), let count = counts[String(table[..<dot])] {
          table = "\(table[..<dot])[\(count - 1)]\(table[dot...])"
        }
        lines[table] = statement.line
      } else if let equals = content.firstIndex(of: "=") {
        let name = Self.key(content[..<equals])
        let place = table.isEmpty ? name : "\(table).\(name)"
        if lines[place] == nil { lines[place] = statement.line }
      }
    }
  }

  /// The line of a place, or of the nearest one that holds it; 0 where nothing does.
  func line(of place: String) -> Int {
    var place = place[...]
    while true {
      if let line = lines[String(place)] { return line }
      guard let cut = place.lastIndex(where: { $0 == "." || $0 == "[" }) else { return 0 }
      place = place[..<cut]
    }
  }

  private static func key(_ text: some StringProtocol) -> String {
    String(text.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" })
  }
}

/// Splits a TOML document into its statements, each with the line it begins on.
private struct Scanner {
  struct Statement {
    var line: Int
    var text: String
  }

  private let characters: [Character]
  private var position = 0
  private var line = 1

  // A line end of two characters is one character to Swift.
  init(_ text: String) { characters = Array(text) }

  mutating func next() -> Statement? {
    var statement = Statement(line: 0, text: "")
    var depth = 0
    while position < characters.count {
      let character = characters[position]
      if character.isNewline {
        position += 1
        line += 1
        let isHeader = statement.text.hasPrefix("[")
        if !statement.text.isEmpty, depth <= 0 || isHeader { return statement }
      } else if character == "#" {
        while position < characters.count, !characters[position].isNewline { position += 1 }
      } else {
        if statement.text.isEmpty {
          if character.isWhitespace {
            position += 1
            continue
          }
          statement.line = line
        }
        if character == "\"" || character == "'" {
          statement.text += string(character)
        } else {
          if character == "[" || character == "{" { depth += 1 }
          if character == "]" || character == "}" { depth -= 1 }
          statement.text.append(character)
          position += 1
        }
      }
    }
    return statement.text.isEmpty ? nil : statement
  }

  /// A string with its quotes, one or three; only basic strings have escapes.
  private mutating func string(_ quote: Character) -> String {
    let isLong = starts(with: [quote, quote, quote])
    let end = [Character](repeating: quote, count: isLong ? 3 : 1)
    var text = String(end)
    position += end.count
    while position < characters.count, !starts(with: end) {
      if characters[position].isNewline {
        line += 1
        if !isLong { return text }
      }
      if quote == "\"", characters[position] == "\\", position + 1 < characters.count {
        text.append(characters[position])
        position += 1
        if characters[position].isNewline { line += 1 }
      }
      text.append(characters[position])
      position += 1
    }
    position += end.count
    return text + String(end)
  }

  private func starts(with text: [Character]) -> Bool {
    position + text.count <= characters.count
      && Array(characters[position..<position + text.count]) == text
  }
}
