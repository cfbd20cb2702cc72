import FoundationEssentials

/// A check for programs: `lull.check/1`.
package enum CheckJSON {
  /// The check as JSON with sorted keys, ending in a newline.
  package static func render(_ check: CheckResult) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(check), as: UTF8.self) + "\n"
  }
}
