import Foundation
import Rules
import Testing

/// The table of rules in the README is made from the catalogue, so that the two cannot part ways.
@Suite struct ReadmeCatalogueTests {
  private static let begin = "<!-- rules: made by CatalogueTests -->"
  private static let end = "<!-- end of rules -->"

  private static var table: String {
    let scheme = ScoringConfiguration.standard.scheme(for: .app)
    func figure(_ value: Double) -> String {
      value == value.rounded() ? String(Int(value)) : String(value)
    }
    var lines = ["| rule | asks | scores 90 / 50, limit | unit |", "|---|---|---|---|"]
    for rule in Catalogue.measured.map({ $0.metadata }) {
      var figures: [String] = []
      if let curve = scheme.curve(ofRule: rule.id) {
        figures.append("\(figure(curve.p10)) / \(figure(curve.median))")
      }
      if let limit = scheme.limit(ofRule: rule.id) {
        figures.append("limit \(figure(limit.value))")
      }
      if figures.isEmpty { figures = ["informative"] }
      lines.append(
        "| `\(rule.id)` | \(rule.title) | \(figures.joined(separator: ", ")) | \(rule.unit) |")
    }
    for rule in Catalogue.notObservable {
      lines.append(
        "| `\(rule.metadata.id)` | \(rule.metadata.title) | not observable: \(rule.reason) | |")
    }
    return lines.joined(separator: "\n")
  }

  /// `LULL_WRITE_README=1 swift test --filter CatalogueTests` writes it anew.
  @Test func `the README lists the catalogue`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")
    let text = try String(contentsOf: path, encoding: .utf8)
    let head = try #require(text.range(of: Self.begin))
    let tail = try #require(text.range(of: Self.end))
    let wanted =
      String(text[..<head.upperBound]) + "\n\n" + Self.table + "\n\n" + text[tail.lowerBound...]
    if ProcessInfo.processInfo.environment["LULL_WRITE_README"] != nil {
      try wanted.write(to: path, atomically: true, encoding: .utf8)
      return
    }
    #expect(
      text == wanted,
      "the README's table of rules is stale: LULL_WRITE_README=1 swift test --filter CatalogueTests"
    )
  }
}
