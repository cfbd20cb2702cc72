import FoundationEssentials
import Reporting

/// A check as GitLab's code quality report.
package enum GitLabReport {
  private struct Issue: Encodable {
    struct Location: Encodable {
      struct Lines: Encodable { var begin: Int }
      var path: String
      var lines: Lines
    }
    var description: String
    var checkName: String
    var fingerprint: String
    var severity: String
    var location: Location

    enum CodingKeys: String, CodingKey {
      case description, fingerprint, severity, location
      case checkName = "check_name"
    }
  }

  /// An issue for each budget that did not pass, as a JSON list.
  package static func render(_ check: CheckResult, places: ProjectPlaces) throws -> String {
    let issues = check.results.filter(\.isOpenOrFailed).map { result in
      let place = places.place(of: result)
      let blame = CheckText.blamed(result).map { "; blame: \($0)" } ?? ""
      return Issue(
        description: "\(Escaped.text(result.path)): \(Escaped.text(result.message))\(blame)",
        checkName: result.rule ?? "lull-budget",
        // Without figures: the same issue in the next run is not a new one.
        fingerprint: StableHash.hex([result.path, result.scenario ?? "", place.file]),
        severity: severity(result),
        location: .init(path: place.file, lines: .init(begin: place.line)))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(issues), as: UTF8.self) + "\n"
  }

  private static func severity(_ result: BudgetResult) -> String {
    switch (result.verdict, result.level) {
    case (.fail, .error): "major"
    case (.fail, _): "minor"
    default: "info"
    }
  }
}
