import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The machine-readable form of a report.
package enum JSONReport {
  /// What stands for a number that JSON cannot hold until it is replaced by null.
  private static let nonFinite = "\u{1}lull-non-finite"

  /// The report as JSON text with sorted keys, ending in a newline; equal reports give equal bytes.
  ///
  /// A number that is not finite becomes null.
  package static func render(_ report: Report) throws -> String {
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
    // Looked for among the bytes, of which none is zero: comparing characters takes longer than encoding them.
    let isFinite = unsafe text.withCString { unsafe strstr($0, escaped) == nil }
    return isFinite ? text : text.replacing(escaped, with: "null")
  }

  /// Reads a report back; what later versions added may be missing.
  package static func parse(_ text: String) throws -> Report {
    struct Header: Decodable { var schema: String }
    let data = Data(text.utf8)
    let schema = try JSONDecoder().decode(Header.self, from: data).schema
    guard schema == Report.schema else { throw ForeignSchema(schema: schema) }
    return try JSONDecoder().decode(Report.self, from: data)
  }

  /// JSON of another schema, which this version does not read.
  private struct ForeignSchema: Error {
    var schema: String
  }

  /// Why `parse` failed, in a few words.
  package static func reason(_ error: any Error) -> String {
    func place(_ context: DecodingError.Context, _ last: String? = nil) -> String {
      (context.codingPath.map(\.stringValue) + (last.map { [$0] } ?? [])).joined(separator: ".")
    }
    switch error {
    case let error as ForeignSchema:
      return "it is of schema \(Escaped.text(String(error.schema.prefix(80)))), "
        + "and this version reads \(Report.schema)"
    case DecodingError.keyNotFound(let key, let context):
      return "“\(Escaped.text(place(context, key.stringValue)))” is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      return "“\(Escaped.text(place(context)))” is of another kind than in a report"
    default: return "it is not valid JSON"
    }
  }
}
