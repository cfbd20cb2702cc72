import Signals

/// A rule of the guide that no Linux process can be held to, listed with the reason.
///
/// What hints at its subject, such as a device that was opened, is shown as evidence.
package protocol NotObservableRule: Rule {
  /// Why it cannot be seen.
  static var reason: String { get }
  /// Beginnings of paths and addresses whose use is worth telling, with what it means.
  static var sightings: [(prefix: String, meaning: String)] { get }
}

extension NotObservableRule {
  package static var sightings: [(prefix: String, meaning: String)] { [] }

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    var evidence: [Evidence] = []
    for sighting in sightings {
      for path in signals.openedPaths where path.hasPrefix(sighting.prefix) {
        evidence.append(Evidence(summary: "\(path): \(sighting.meaning)", path: path))
      }
    }
    return .notObservable(reason: reason, evidence: evidence)
  }

  static func listed(
    _ id: String, _ title: String, _ category: RuleCategory, _ guide: [GuideCitation],
    advice: String
  ) -> RuleMetadata {
    RuleMetadata(
      id: id, title: title, category: category, guide: guide, signals: [], unit: "",
      measuredAs: "not: " + reason, advice: advice,
      examples: [
        RuleExample("any program", .notObservable, SignalSet(durationSeconds: 60))
      ])
  }
}
