/// How many terminal columns text takes, and how it is cut and wrapped to fit.
package enum Columns {
  /// The columns that escaped text takes, never fewer than a terminal gives it.
  package static func width(_ text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  /// The text, its middle replaced by "..." where it is wider than the limit.
  package static func clip(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 5 else { return prefix(text, limit) }
    let tail = (limit - 3) / 2
    let head = limit - 3 - tail
    return prefix(text, head) + "..." + suffix(text, tail)
  }

  /// The text, its end replaced by "..." where it is wider than the limit.
  package static func clipEnd(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 5 else { return prefix(text, limit) }
    return prefix(text, limit - 3) + "..."
  }

  /// Breaks text at spaces into lines no wider than the limit; words that are wider are cut.
  package static func wrap(_ text: String, to limit: Int) -> [String] {
    let limit = max(limit, 1)
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ") {
      var rest = String(word)
      var size = width(rest)
      if used > 0 && used + 1 + size > limit {
        lines.append(line)
        line = ""
        used = 0
      }
      while used == 0 && size > limit {
        let head = prefix(rest, limit)
        guard !head.isEmpty else { break }
        lines.append(head)
        rest = String(rest.unicodeScalars.dropFirst(head.unicodeScalars.count))
        size = width(rest)
      }
      if rest.isEmpty { continue }
      if used > 0 {
        line += " "
        used += 1
      }
      line += rest
      used += size
    }
    if used > 0 || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// The text filled with spaces on its right to the width.
  package static func padded(_ text: String, to size: Int) -> String {
    text + String(repeating: " ", count: max(0, size - width(text)))
  }

  /// The text filled with spaces on its left to the width.
  package static func rightAligned(_ text: String, to size: Int) -> String {
    String(repeating: " ", count: max(0, size - width(text))) + text
  }

  private static func prefix(_ text: String, _ limit: Int) -> String {
    var result = String.UnicodeScalarView()
    var used = 0
    for scalar in text.unicodeScalars {
      used += width(of: scalar)
      if used > limit { break }
      result.append(scalar)
    }
    return String(result)
  }

  private static func suffix(_ text: String, _ limit: Int) -> String {
    var result: [Unicode.Scalar] = []
    var used = 0
    for scalar in text.unicodeScalars.reversed() {
      used += width(of: scalar)
      if used > limit { break }
      result.append(scalar)
    }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: result.reversed())
    return String(view)
  }

  /// One column for a letter, two for the wide scripts and for pictures.
  private static func width(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23F3, 0x25FD...0x27BF,
      0x2B1B...0x2B55, 0x2E80...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF,
      0x1F000...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      return 1
    }
  }
}
