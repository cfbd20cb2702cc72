/// Finds the line of a key in a TOML text; the parser tells lines of broken syntax only.
enum TOMLPlace {
  /// The line, from 1, of a key given by its path; that of its table where the key has none of its own.
  static func line(of keys: [String], in text: String) -> Int {
    var best = 1
    var depth = 0
    var table: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let trimmed = line.drop { $0 == " " || $0 == "\t" }
      var here: [String]?
      if trimmed.first == "[" {
        table = path(trimmed.drop { $0 == "[" }.prefix { $0 != "]" })
        here = table
      } else if trimmed.first != "#", let equals = trimmed.firstIndex(of: "=") {
        here = table + path(trimmed[..<equals])
      }
      guard let here else { continue }
      let common = zip(here, keys).prefix { $0 == $1 }.count
      // A longer common beginning is nearer; a place beside the way there is none.
      if common > depth, common == here.count || common == keys.count {
        depth = common
        best = index + 1
      }
    }
    return best
  }

  /// The parts of a dotted key.
  private static func path(_ key: some StringProtocol) -> [String] {
    key.split(separator: ".").map { part in
      String(part.filter { $0 != "\"" && $0 != "'" && $0 != " " && $0 != "\t" })
    }
  }
}
