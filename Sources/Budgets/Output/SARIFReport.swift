import FoundationEssentials

/// A check as SARIF 2.1.0: a result for each budget that did not pass.
package enum SARIFReport {
  /// The log as JSON, ending in a newline.
  package static func render(_ check: CheckResult, places: ProjectPlaces) throws -> String {
    let shown = check.results.filter(\.isOpenOrFailed)
    var rules: [Log.Rule] = []
    for result in shown where !rules.contains(where: { $0.id == id(result) }) {
      rules.append(
        Log.Rule(
          id: id(result), shortDescription: Log.Text(text: "Budget of \(result.path)"),
          help: Log.Text(text: result.advice ?? "Bring the figure back under its budget.")))
    }
    let log = Log(
      schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0",
      runs: [
        Log.Run(
          tool: Log.Tool(
            driver: Log.Driver(
              name: "Lull", semanticVersion: check.environment?.lullVersion, rules: rules)),
          columnKind: "unicodeCodePoints",
          results: shown.map { self.result($0, rules, places) })
      ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(log), as: UTF8.self) + "\n"
  }

  private static func id(_ result: BudgetResult) -> String { result.rule ?? result.path }

  private static func result(
    _ result: BudgetResult, _ rules: [Log.Rule], _ places: ProjectPlaces
  ) -> Log.Result {
    let place = places.place(of: result)
    var text = "\(result.path): \(result.message)"
    if let blame = CheckText.blamed(result) { text += "; blame: \(blame)" }
    if let advice = result.advice { text += ". \(advice)" }
    // What could not be decided is open, and then has no level.
    let isOpen = result.verdict == .inconclusive
    return Log.Result(
      ruleId: id(result), ruleIndex: rules.firstIndex { $0.id == id(result) } ?? 0,
      kind: isOpen ? "open" : "fail",
      level: isOpen ? "none" : result.level == .error ? "error" : "warning",
      message: Log.Text(text: text),
      locations: [
        Log.Location(
          physicalLocation: Log.PhysicalLocation(
            artifactLocation: Log.Artifact(uri: URIPath.encoded(place.file)),
            region: Log.Region(startLine: place.line)))
      ],
      partialFingerprints: ["lull/v1": StableHash.hex([result.path, result.scenario ?? ""])])
  }

  private struct Log: Encodable {
    var schema: String
    var version: String
    var runs: [Run]

    enum CodingKeys: String, CodingKey {
      case schema = "$schema"
      case version, runs
    }

    struct Run: Encodable {
      var tool: Tool
      var columnKind: String
      var results: [Result]
    }
    struct Tool: Encodable { var driver: Driver }
    struct Driver: Encodable {
      var name: String
      var semanticVersion: String?
      var rules: [Rule]
    }
    struct Rule: Encodable {
      var id: String
      var shortDescription: Text
      var help: Text
    }
    struct Text: Encodable { var text: String }
    struct Result: Encodable {
      var ruleId: String
      var ruleIndex: Int
      var kind: String
      var level: String
      var message: Text
      var locations: [Location]
      var partialFingerprints: [String: String]
    }
    struct Location: Encodable { var physicalLocation: PhysicalLocation }
    struct PhysicalLocation: Encodable {
      var artifactLocation: Artifact
      var region: Region
    }
    struct Artifact: Encodable { var uri: String }
    struct Region: Encodable { var startLine: Int }
  }
}

/// Paths as relative URIs (RFC 3986).
enum URIPath {
  static func encoded(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.append(Character(UnicodeScalar(byte)))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }
}

/// A hash that is the same in every run: FNV-1a with 64 bits.
enum StableHash {
  static func hex(_ parts: [String]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in parts.joined(separator: "\0").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
