import ArgumentParser
import Quantities

/// Lengths of time as users write them: `30s`, `500ms`, `2m`, `1h`, `250us`, or plain seconds.
enum DurationArgument {
  /// A length above zero, of at most a year.
  @Sendable static func parse(_ text: String) throws -> TimeSpan {
    let length = try moment(text)
    guard length > .zero else {
      throw ValidationError("“\(text)” must be more than zero and at most a year.")
    }
    return length
  }

  /// A moment of a recording, by how long that had lasted: its beginning, or a later one.
  @Sendable static func moment(_ text: String) throws -> TimeSpan {
    let units: [(String, Double)] = [
      ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("s", 1), ("m", 60), ("h", 3600),
    ]
    let unit = units.first { text.hasSuffix($0.0) }
    let digits = unit.map { String(text.dropLast($0.0.count)) } ?? text
    guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits)
    else {
      throw ValidationError("“\(text)” is no length of time; write it as 30s, 500ms or 2m.")
    }
    let seconds = number * (unit?.1 ?? 1)
    guard seconds <= 366 * 86_400 else {
      throw ValidationError("“\(text)” must be at most a year.")
    }
    return TimeSpan(seconds: seconds)
  }
}
