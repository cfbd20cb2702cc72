import FoundationEssentials

/// The machine-readable form of a report.
public enum JSONReport {
  /// What stands for a number that JSON cannot hold until it is replaced by null.
  private static let nonFinite = "\u{1}lull-non-finite"

  /// The report as JSON text with sorted keys, ending in a newline; equal reports give equal bytes.
  ///
  /// A number that is not finite becomes null.
  public static func render(_ report: Report) throws -> String {
    try encode(report, formatting: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]) + "\n"
  }

  /// Any value as JSON without needless spaces, as `render` writes it otherwise.
  static func compact(_ value: some Encodable) throws -> String {
    try encode(value, formatting: [.sortedKeys, .withoutEscapingSlashes])
  }

  private static func encode(
    _ value: some Encodable, formatting: JSONEncoder.OutputFormatting
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: nonFinite, negativeInfinity: nonFinite, nan: nonFinite)
    let data = try encoder.encode(value)
    let text = String(decoding: data, as: UTF8.self)
    let escaped = "\"\\u0001lull-non-finite\""
    guard text.contains(escaped) else { return text }
    return text.replacing(escaped, with: "null")
  }

  /// Reads a report back.
  public static func parse(_ text: String) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(text.utf8))
  }
}
