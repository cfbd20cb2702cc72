/// Hides what a command line says, which may be a customer's name or a password: it keeps the names of options,
/// numbers, programs and the shape of the rest.
extension NameRedactor {
  /// Words that say nothing of anybody: names of the toolchain, its commands, and schemes of addresses.
  private static let commonWords: Set<Substring> = [
    "build", "exec", "file", "http", "https", "lull", "package", "perf", "record", "run", "swift",
    "swiftc", "tcp", "test", "udp", "unix", "ws", "wss",
  ]

  /// A word of a command line; what has blanks in it is a command line by itself, as a shell's is.
  mutating func argument(_ text: String) -> String {
    pieces(of: text[...], endingAt: " \t\n") { redactor, word in redactor.word(word) }
  }

  private mutating func word(_ word: Substring) -> String {
    if let equals = word.firstIndex(of: "="), equals > word.startIndex,
      word[..<equals].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
      )
    {
      return words(String(word[...equals])) + value(word[word.index(after: equals)...])
    }
    if word.hasPrefix("--") { return words(String(word)) }
    // What follows an option's letter may be its value.
    guard word.hasPrefix("-"), word.count > 3 else { return value(word) }
    return word.prefix(2) + value(word.dropFirst(2))
  }

  private mutating func value(_ value: Substring) -> String {
    pieces(of: value, endingAt: ",;'\"()[]{}<>") { redactor, piece in
      redactor.addresses.text(String(piece))
        ?? redactor.pieces(of: piece, endingAt: ":@=") { redactor, item in redactor.item(item) }
    }
  }

  private mutating func item(_ item: Substring) -> String {
    if item.hasPrefix("//") { return "//" + relative(String(item.dropFirst(2))) }
    if item.hasPrefix("/") { return words(path(String(item))) }
    if item.contains("/") { return words(relative(String(item))) }
    let isKept =
      Self.commonWords.contains(item) || isProgram(String(item)) || Self.isNumber(item)
      || item.count <= 3 && item.hasPrefix("-")
      || !item.contains { $0.isLetter || $0.isNumber }
    return isKept ? words(String(item)) : placeholder(String(item))
  }

  /// Such as `12`, `0.5` or `500ms`.
  private static func isNumber(_ text: Substring) -> Bool {
    let unit = text.drop { $0.isASCII && $0.isNumber || $0 == "." }
    return text.first?.isNumber == true && unit.count <= 2 && unit.allSatisfy(\.isLetter)
  }

  /// The text with each of its pieces changed; what they end at stays.
  private mutating func pieces(
    of text: Substring, endingAt ends: String,
    change: (inout NameRedactor, Substring) -> String
  ) -> String {
    var output = ""
    var rest = text
    while !rest.isEmpty {
      let piece = rest.prefix { !ends.contains($0) }
      if !piece.isEmpty { output += change(&self, piece) }
      rest = rest[piece.endIndex...]
      if let end = rest.popFirst() { output.append(end) }
    }
    return output
  }
}
