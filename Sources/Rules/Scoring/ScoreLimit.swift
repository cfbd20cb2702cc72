/// What a score cannot exceed, however good the rest is, and by which rules.
struct ScoreLimit: Sendable, Equatable {
  var most: Double
  /// Ids of the rules.
  var rules: [String]
  /// What they do, of several.
  var verb: String

  /// In words, such as "74 at most, since sync-frequency fails".
  var text: String {
    let who = rules.count == 1 ? "\(rules[0]) \(verb)s" : "\(rules.count) rules \(verb)"
    return "\(Int(most.rounded())) at most, since \(who)"
  }
}
