import Quantities

/// The catalogue as text for a terminal, in 80 columns.
package enum RuleDocumentation {
  /// One line for each rule, under its category.
  package static func list() -> String {
    let width = Catalogue.all.map { $0.metadata.id.count }.max() ?? 0
    var lines: [String] = []
    for category in RuleCategory.allCases {
      let rules = Catalogue.measured.map { $0.metadata }.filter { $0.category == category }
      guard !rules.isEmpty else { continue }
      if !lines.isEmpty { lines.append("") }
      lines.append(category.title)
      for rule in rules {
        let gap = String(repeating: " ", count: width - rule.id.count + 2)
        lines.append(contentsOf: wrapped(rule.title, first: "  \(rule.id)\(gap)"))
      }
    }
    lines += ["", "Not observable on Linux (`lull rules show ID` tells why)"]
    for rule in Catalogue.notObservable.map({ $0.metadata }) {
      let gap = String(repeating: " ", count: width - rule.id.count + 2)
      lines.append(contentsOf: wrapped(rule.title, first: "  \(rule.id)\(gap)"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Everything about one rule; nil when there is no such rule.
  package static func show(
    _ id: String, configuration: ScoringConfiguration = .standard
  ) -> String? {
    guard let type = Catalogue.rule(id) else { return nil }
    let rule = type.metadata
    var lines = wrapped(rule.title, first: "\(rule.id): ", indent: 2)
    lines.append("")
    lines.append("Category  \(rule.category.title)")
    for guide in rule.guide {
      lines.append(
        contentsOf: wrapped("\(guide.document), “\(guide.section)”", first: "Guide     "))
    }
    lines.append(contentsOf: wrapped(rule.measuredAs, first: "Measured  "))
    if !rule.unit.isEmpty { lines.append("Unit      \(rule.unit), lower is better") }
    if !rule.signals.isEmpty {
      lines.append("Needs     \(rule.signals.map(\.rawValue).joined(separator: ", "))")
    }
    if !(type is any NotObservableRule.Type) {
      lines += scoring(of: id, configuration)
    }
    lines.append("")
    lines.append(contentsOf: wrapped(rule.advice, first: "Advice    "))
    lines.append("")
    lines.append("Examples")
    for example in rule.examples {
      lines.append(contentsOf: wrapped(example.name, first: "  \(example.expected.rawValue): "))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Curve, limit and weight, and where a profile has others.
  private static func scoring(
    of id: String, _ configuration: ScoringConfiguration
  ) -> [String] {
    var lines: [String] = []
    let app = configuration.scheme(for: .app)
    lines += figures(of: id, app, "")
    for profile in ScoringProfile.allCases where profile != .app {
      let own = configuration.scheme(for: profile)
      guard own.table.rules[id] != app.table.rules[id] else { continue }
      lines += figures(of: id, own, profile.rawValue + ": ")
    }
    lines.append("Weight    \(Figures.brief(app.weight(ofRule: id))) of its category")
    return lines
  }

  private static func figures(of id: String, _ scheme: ScoringScheme, _ prefix: String)
    -> [String]
  {
    if let reason = scheme.reasonNotFor(rule: id) {
      return wrapped("\(prefix)no verdict: \(reason)", first: "Score     ")
    }
    var lines: [String] = []
    if let curve = scheme.curve(ofRule: id) {
      let figures = "90 at \(Figures.brief(curve.p10)), 50 at \(Figures.brief(curve.median))"
      lines += wrapped("\(prefix)\(figures) (\(curve.provenance))", first: "Score     ")
    }
    if let limit = scheme.limit(ofRule: id) {
      let how = limit.failsWhenReached ? "fails at" : "fails above"
      lines += wrapped(
        "\(prefix)\(how) \(Figures.brief(limit.value)) (\(limit.provenance))",
        first: "Limit     ")
    } else if let reason = scheme.reasonForNoLimit(ofRule: id) {
      lines += wrapped("\(prefix)none (\(reason))", first: "Limit     ")
    }
    if lines.isEmpty {
      lines = wrapped("\(prefix)no verdict: shown for information", first: "Score     ")
    }
    return lines
  }

  /// Breaks a text into lines of at most 80 columns, those after the first indented.
  static func wrapped(_ text: String, first: String, indent: Int? = nil) -> [String] {
    let margin = String(repeating: " ", count: indent ?? min(first.count, 30))
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > 80 {
        lines.append(line)
        line = margin
        isEmpty = true
      }
      line += isEmpty ? String(word) : " \(word)"
      isEmpty = false
    }
    lines.append(line)
    return lines
  }
}
