import ArgumentParser

/// Amounts of bytes as users write them: `500MB`, `64MiB`, `2GB`, `100k`, or plain bytes.
enum SizeArgument {
  private static let units: [(String, Double)] = [
    ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("KB", 1e3),
    ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9),
    ("B", 1),
  ]

  /// An amount above zero; nil where the text is none.
  static func bytes(_ text: String) -> UInt64? {
    let unit = units.first { text.hasSuffix($0.0) }
    let digits = (unit.map { String(text.dropLast($0.0.count)) } ?? text)
      .trimming { $0 == " " }
    guard !digits.isEmpty,
      digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits)
    else { return nil }
    let amount = number * (unit?.1 ?? 1)
    return amount >= 1 && amount < 1e18 ? UInt64(amount) : nil
  }

  @Sendable static func parse(_ text: String) throws -> UInt64 {
    guard let bytes = bytes(text) else {
      throw ValidationError("“\(text)” is no amount of bytes; write it as 100MB, 64MiB or 2GB.")
    }
    return bytes
  }
}

extension String {
  /// Without the characters at both ends that are so.
  func trimming(_ isLeftOut: (Character) -> Bool) -> String {
    var rest = self[...]
    while let first = rest.first, isLeftOut(first) { rest.removeFirst() }
    while let last = rest.last, isLeftOut(last) { rest.removeLast() }
    return String(rest)
  }
}
