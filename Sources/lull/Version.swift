import CVersion
import Rules

/// What this is, for `lull --version`.
enum Version {
  /// The version, in this place and in the plugin's; a test compares them.
  static let text = "0.1.0"

  /// With what was built and by which scores.
  static var line: String {
    let commit = String(cString: lull_commit())
    return "lull \(text) (\(commit.isEmpty ? "commit not told" : "commit \(commit)"), scoring "
      + "\(ScoringConfiguration.standard.identifier))"
  }
}
