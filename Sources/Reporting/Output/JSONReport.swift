import FoundationEssentials

/// The machine-readable form of a report.
public enum JSONReport {
  /// What stands for a number that JSON cannot hold until it is replaced by null.
  private static let nonFinite = "\u{1}lull-non-finite"

  /// The report as JSON text with sorted keys, ending in a newline; equal reports give equal bytes.
  ///
  /// A number that is not finite becomes null.
  public static func render(_ report: Report) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: nonFinite, negativeInfinity: nonFinite, nan: nonFinite)
    let data = try encoder.encode(report)
    let text = String(decoding: data, as: UTF8.self)
    let escaped = "\"\\u0001lull-non-finite\""
    guard text.contains(escaped) else { return text + "\n" }
    return text.replacing(escaped, with: "null") + "\n"
  }

  /// Reads a report back.
  public static func parse(_ text: String) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(text.utf8))
  }
}
