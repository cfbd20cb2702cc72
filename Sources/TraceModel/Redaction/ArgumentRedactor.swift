/// Hides what a command line says, which may be a customer's name or a password: it keeps the names of options, short
/// numbers, programs and the shape of the rest. A number that is long, or stands behind a word such as `token`, may be
/// a secret.
extension NameRedactor {
  /// Words that say nothing of anybody: names of the toolchain, its commands, and schemes of addresses.
  private static let commonWords: Set<Substring> = [
    "build", "exec", "file", "http", "https", "lull", "package", "perf", "record", "run", "swift",
    "swiftc", "tcp", "test", "udp", "unix", "ws", "wss",
  ]

  /// What is in the names of options whose values are nobody else's: even a short number behind one may be a secret.
  private static let secretNames = [
    "account", "auth", "card", "code", "cookie", "cred", "customer", "key", "login", "otp", "pass",
    "phone", "pwd", "secret", "session", "ssn", "token", "user",
  ]

  private static func isSecret(_ name: some StringProtocol) -> Bool {
    let name = name.lowercased()
    // Short enough to be in other words.
    return secretNames.contains { name.contains($0) }
      || name.split(whereSeparator: { !$0.isLetter }).contains { $0 == "pin" || $0 == "id" }
  }

  /// The words of a command line.
  mutating func arguments(_ words: [String]) -> [String] {
    var last = ""
    return words.map { word in
      followsSecret = last.hasPrefix("-") && !last.contains("=") && Self.isSecret(last)
      last = word
      return argument(word)
    }
  }

  /// A word of a command line; what has blanks in it is a command line by itself, as a shell's is.
  mutating func argument(_ text: String) -> String {
    let isSecretItself = followsSecret
    followsSecret = false
    var last: Substring = ""
    return pieces(of: text[...], endingAt: " \t\n") { redactor, word in
      // `pin = 1234` too.
      if word != "=" {
        redactor.hidesNumbers = isSecretItself || Self.isSecret(last) && !last.contains("=")
        last = word
      }
      return redactor.word(word)
    }
  }

  private mutating func word(_ word: Substring) -> String {
    // What ends in the sign is no name: base 64 does.
    if let equals = word.firstIndex(of: "="), equals > word.startIndex,
      word[equals...].contains(where: { $0 != "=" }),
      word[..<equals].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
      )
    {
      if Self.isSecret(word[..<equals]) { hidesNumbers = true }
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
      Self.commonWords.contains(item) || isProgram(String(item)) || isPlainNumber(item)
      || item.count <= 3 && item.hasPrefix("-")
      || !item.contains { $0.isLetter || $0.isNumber }
    return isKept ? words(String(item)) : placeholder(String(item))
  }

  /// As many as a port has.
  private static let mostDigits = 5

  /// Such as `12`, `0.5` or `500ms`, and no secret.
  private func isPlainNumber(_ text: Substring) -> Bool {
    guard !hidesNumbers, text.count(where: \.isNumber) <= Self.mostDigits else { return false }
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
