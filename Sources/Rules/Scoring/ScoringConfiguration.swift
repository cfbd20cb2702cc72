/// Weights, curves and limits by which audits become scores: versioned, and printed in the report.
///
/// Layers are put over one another: the built-in one first, then the user's. Within a layer the
/// part of the profile in force goes over the part for all.
package struct ScoringConfiguration: Sendable, Equatable {
  /// The contents of one file.
  package struct Layer: Sendable, Equatable {
    /// Name of the configuration.
    package var name: String
    /// Version, raised with each change.
    package var version: Int
    /// The profile that is in force whatever was seen.
    package var profile: ScoringProfile?
    /// For every profile.
    package var general = ScoringTable()
    /// How scores are added up; nil where the layer does not say.
    package var formula: ScoreFormula?
    /// For one profile.
    package var profiles: [ScoringProfile: ScoringTable] = [:]

    /// An empty layer.
    package init(name: String, version: Int) {
      self.name = name
      self.version = version
    }
  }

  /// The layers, the first one lowest.
  package var layers: [Layer]

  /// Puts layers over one another.
  package init(layers: [Layer]) { self.layers = layers }

  /// What is used unless the user gives another.
  package static let standard = ScoringConfiguration(
    layers: [(try? ScoringFile.builtIn()) ?? Layer(name: "none", version: 0)])

  /// Names and versions, as the report prints them.
  package var identifier: String {
    layers.reversed().map { "\($0.name)/\($0.version)" }.joined(separator: " over ")
  }

  /// This configuration with another layer on top.
  package func adding(_ layer: Layer) -> ScoringConfiguration {
    ScoringConfiguration(layers: layers + [layer])
  }

  /// The profile that a layer prescribes.
  package var prescribedProfile: ScoringProfile? { layers.last { $0.profile != nil }?.profile }

  /// The figures that hold for one profile.
  package func scheme(for profile: ScoringProfile) -> ScoringScheme {
    var table = ScoringTable()
    for layer in layers {
      table = table.replaced(by: layer.general)
      if let own = layer.profiles[profile] { table = table.replaced(by: own) }
    }
    let formula = layers.last { $0.formula != nil }?.formula ?? ScoreFormula()
    return ScoringScheme(
      profile: profile, identifier: identifier, table: table, formula: formula)
  }

  /// What is wrong with the configuration as a whole, one line each.
  package var problems: [String] {
    var problems: [String] = []
    for profile in ScoringProfile.allCases {
      let scheme = scheme(for: profile)
      for (id, scoring) in scheme.table.rules.sorted(by: { $0.key < $1.key }) {
        let place = "rule “\(id)” in profile \(profile.rawValue)"
        if (scoring.p10 == nil) != (scoring.median == nil) {
          problems.append("\(place) needs both p10 and median, or neither")
        }
        if let p10 = scoring.p10, let median = scoring.median, !(p10 > 0 && p10 < median) {
          problems.append("\(place) needs 0 < p10 < median, not \(p10) and \(median)")
        }
      }
    }
    return problems
  }
}

/// The figures that hold for one profile, all layers applied.
package struct ScoringScheme: Sendable, Equatable {
  /// The profile.
  package var profile: ScoringProfile
  /// Name and version of the configuration.
  package var identifier: String
  /// The figures.
  package var table: ScoringTable
  /// How the scores are added up.
  package var formula: ScoreFormula

  /// Weight of a category; 1 where none is given.
  package func weight(of category: RuleCategory) -> Double {
    table.categories[category.rawValue] ?? 1
  }

  /// Weight of a rule in its category; 1 where none is given.
  package func weight(ofRule id: String) -> Double { table.rules[id]?.weight ?? 1 }

  /// The curve of a rule; nil where only a limit counts.
  package func curve(ofRule id: String) -> Curve? {
    guard let scoring = table.rules[id], let p10 = scoring.p10, let median = scoring.median else {
      return nil
    }
    return Curve(
      p10: p10, median: median,
      provenance: scoring.provenance ?? "scoring configuration \(identifier)")
  }

  /// The limit of a rule; nil where it has none, as where another profile's is taken back.
  package func limit(ofRule id: String) -> Limit? {
    guard let scoring = table.rules[id], let value = scoring.limit, value.isFinite else {
      return nil
    }
    return Limit(
      value, tolerance: scoring.tolerance ?? 0,
      failsWhenReached: scoring.failsWhenReached ?? false,
      provenance: scoring.limitProvenance ?? "scoring configuration \(identifier)")
  }

  /// Why a rule that has a limit in other profiles has none in this one.
  package func reasonForNoLimit(ofRule id: String) -> String? {
    guard let scoring = table.rules[id], scoring.limit == .infinity else { return nil }
    return scoring.limitProvenance ?? "scoring configuration \(identifier)"
  }

  /// Why a rule gives no verdict in this profile.
  package func reasonNotFor(rule id: String) -> String? {
    table.rules[id]?.notFor.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What a rule is told of its scoring.
  package func scale(ofRule id: String) -> RuleScale {
    RuleScale(good: curve(ofRule: id)?.p10, limit: limit(ofRule: id))
  }
}
