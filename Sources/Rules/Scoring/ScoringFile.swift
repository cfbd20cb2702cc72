import Resources
import TOMLKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why a scoring configuration could not be used: the file, the line and what to change.
package struct ScoringError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line.
  package var description: String
}

/// Scoring configurations as TOML, in the form of the built-in `scoring.toml`.
package enum ScoringFile {
  /// The configuration that Lull comes with.
  package static func builtIn() throws(ScoringError) -> ScoringConfiguration.Layer {
    try parse(
      Resources.scoring, path: "scoring.toml")
  }

  /// The text of the built-in configuration.
  package static var builtInText: String {
    Resources.scoring
  }

  /// Has the standard configuration be read, which is done once.
  package static func prepare() { _ = ScoringConfiguration.standard }

  /// The standard configuration with a user's file put over it.
  package static func configuration(path: String?) throws(ScoringError) -> ScoringConfiguration {
    guard let path else { return .standard }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw ScoringError(description: "\(path): cannot be read as a scoring configuration")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ScoringError(description: "\(path): is not UTF-8 text")
    }
    let configuration = ScoringConfiguration.standard.adding(try parse(text, path: path))
    if let problem = configuration.problems.first {
      throw ScoringError(description: "\(path): \(problem)")
    }
    return configuration
  }

  /// Reads one file's text; `path` is for error messages.
  package static func parse(
    _ text: String, path: String
  ) throws(ScoringError) -> ScoringConfiguration.Layer {
    let document: TOMLTable
    do { document = try TOMLTable(string: text) } catch let error as TOMLParseError {
      throw ScoringError(
        description: "\(path):\(error.source.begin.line): \(error.description)")
    } catch {
      throw ScoringError(description: "\(path): is not TOML")
    }
    return try ScoringReader(path: path, text: text).layer(document)
  }
}

/// Reads the tables of one file, with the place of each error.
private struct ScoringReader {
  var path: String
  var text: String

  func failure(_ keys: [String], _ problem: String) -> ScoringError {
    ScoringError(description: "\(path):\(TOMLPlace.line(of: keys, in: text)): \(problem)")
  }

  func layer(_ document: TOMLTable) throws(ScoringError) -> ScoringConfiguration.Layer {
    try allow(
      ["name", "version", "profile", "categories", "rules", "profiles", "formula"], in: document,
      at: [])
    guard let name = document["name"]?.string, !name.isEmpty else {
      throw failure(["name"], "“name” must be a text, such as name = \"mine\"")
    }
    let version = document["version"] == nil ? 1 : document["version"]?.int
    guard let version, version > 0 else {
      throw failure(["version"], "“version” must be a whole number above 0")
    }
    var layer = ScoringConfiguration.Layer(name: name, version: version)
    if let value = document["profile"] {
      guard let profile = value.string.flatMap(ScoringProfile.init) else {
        throw failure(["profile"], "“profile” must be one of \(Self.profileNames)")
      }
      layer.profile = profile
    }
    layer.general = try table(document, at: [])
    if document["formula"] != nil {
      guard let formula = document["formula"]?.table else {
        throw failure(["formula"], "“formula” must be a table")
      }
      layer.formula = try self.formula(formula)
    }
    for (id, own) in try tables(document["profiles"], at: ["profiles"]) {
      guard let profile = ScoringProfile(rawValue: id) else {
        throw failure(
          ["profiles", id], "there is no profile “\(id)”; there are \(Self.profileNames)")
      }
      try allow(["categories", "rules"], in: own, at: ["profiles", id])
      layer.profiles[profile] = try table(own, at: ["profiles", id])
    }
    return layer
  }

  private static var profileNames: String {
    ScoringProfile.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private func table(
    _ source: TOMLTable, at place: [String]
  ) throws(ScoringError) -> ScoringTable {
    var result = ScoringTable()
    let known = Set(RuleCategory.allCases.map(\.rawValue))
    if let value = source["categories"] {
      guard let categories = value.table else {
        throw failure(place + ["categories"], "“categories” must be a table")
      }
      for id in categories.keys.sorted() {
        let keys = place + ["categories", id]
        guard known.contains(id) else {
          throw failure(
            keys,
            "there is no category “\(id)”; there are "
              + RuleCategory.allCases.map(\.rawValue).joined(separator: ", "))
        }
        result.categories[id] = try number(categories[id], keys)
      }
    }
    for (id, rule) in try tables(source["rules"], at: place + ["rules"]) {
      let keys = place + ["rules", id]
      guard Catalogue.rule(id) != nil else {
        throw failure(keys, "there is no rule “\(id)”; `lull rules list` lists them")
      }
      result.rules[id] = try scoring(rule, keys)
    }
    return result
  }

  /// A formula stands as a whole: what it leaves out has no effect.
  private func formula(_ source: TOMLTable) throws(ScoringError) -> ScoreFormula {
    let keys = ["formula"]
    try allow(
      [
        "floor", "felt-failure-cap", "felt", "failure-cap", "further-failure", "warning-cap",
        "narrow", "widest", "least-measured", "worst", "provenance",
      ], in: source, at: keys)
    var result = ScoreFormula()
    func take(_ name: String, _ place: inout Double) throws(ScoringError) {
      if let value = try optional(source[name], keys + [name]) { place = value }
    }
    try take("floor", &result.floor)
    try take("felt-failure-cap", &result.feltFailureCap)
    try take("failure-cap", &result.failureCap)
    try take("further-failure", &result.furtherFailure)
    try take("warning-cap", &result.warningCap)
    try take("narrow", &result.narrow)
    try take("widest", &result.widest)
    try take("least-measured", &result.leastMeasured)
    guard result.floor > 0, result.floor < 100 else {
      throw failure(keys + ["floor"], "“floor” must be above 0 and below 100")
    }
    result.felt = Set(try rules(source["felt"], keys + ["felt"]))
    for (name, group) in try tables(source["worst"], at: keys + ["worst"]) {
      let place = keys + ["worst", name]
      try allow(["category", "weight", "rules"], in: group, at: place)
      let category = try words(group["category"], place + ["category"])
      guard let category, RuleCategory(rawValue: category) != nil else {
        throw failure(place, "“category” must be one of the categories")
      }
      result.worst[name] = WorstOf(
        category: category, weight: try optional(group["weight"], place + ["weight"]) ?? 1,
        rules: try rules(group["rules"], place + ["rules"]))
    }
    for name in source["provenance"]?.table?.keys.sorted() ?? [] {
      result.provenance[name] = try words(
        source["provenance"]?.table?[name], keys + ["provenance", name])
    }
    return result
  }

  /// Ids of rules.
  private func rules(
    _ value: (any TOMLValueConvertible)?, _ keys: [String]
  ) throws(ScoringError) -> [String] {
    guard let value else { return [] }
    guard let list = value.array else { throw failure(keys, "“\(keys.last ?? "")” must be a list") }
    var ids: [String] = []
    for entry in list {
      guard let id = entry.string, Catalogue.rule(id) != nil else {
        throw failure(
          keys, "there is no rule “\(entry.string ?? "")”; `lull rules list` lists them")
      }
      ids.append(id)
    }
    return ids
  }

  private func scoring(_ rule: TOMLTable, _ keys: [String]) throws(ScoringError) -> RuleScoring {
    try allow(
      [
        "weight", "p10", "median", "provenance", "limit", "tolerance", "fails-when-reached",
        "limit-provenance", "not-for",
      ], in: rule, at: keys)
    var result = RuleScoring()
    result.weight = try optional(rule["weight"], keys + ["weight"])
    result.p10 = try optional(rule["p10"], keys + ["p10"])
    result.median = try optional(rule["median"], keys + ["median"])
    result.limit = try optional(rule["limit"], keys + ["limit"], mayBeInfinite: true)
    result.tolerance = try optional(rule["tolerance"], keys + ["tolerance"])
    result.provenance = try words(rule["provenance"], keys + ["provenance"])
    result.limitProvenance = try words(rule["limit-provenance"], keys + ["limit-provenance"])
    result.notFor = try words(rule["not-for"], keys + ["not-for"])
    if let value = rule["fails-when-reached"] {
      guard let flag = value.bool else {
        throw failure(keys + ["fails-when-reached"], "“fails-when-reached” must be true or false")
      }
      result.failsWhenReached = flag
    }
    if let p10 = result.p10, let median = result.median, !(p10 > 0 && p10 < median) {
      throw failure(keys + ["p10"], "p10 must be above 0 and below median")
    }
    return result
  }

  private func allow(
    _ names: Set<String>, in table: TOMLTable, at place: [String]
  ) throws(ScoringError) {
    for key in table.keys.sorted() where !names.contains(key) {
      throw failure(
        place + [key],
        "there is no key “\(key)” here; there are \(names.sorted().joined(separator: ", "))")
    }
  }

  private func tables(
    _ value: (any TOMLValueConvertible)?, at place: [String]
  ) throws(ScoringError) -> [(String, TOMLTable)] {
    guard let value else { return [] }
    guard let outer = value.table else {
      throw failure(place, "“\(place.last ?? "")” must be a table")
    }
    var result: [(String, TOMLTable)] = []
    for key in outer.keys.sorted() {
      guard let inner = outer[key]?.table else {
        throw failure(place + [key], "“\(key)” must be a table")
      }
      result.append((key, inner))
    }
    return result
  }

  private func optional(
    _ value: (any TOMLValueConvertible)?, _ keys: [String], mayBeInfinite: Bool = false
  ) throws(ScoringError) -> Double? {
    if mayBeInfinite, value?.double == .infinity { return .infinity }
    return value == nil ? nil : try number(value, keys)
  }

  private func number(
    _ value: (any TOMLValueConvertible)?, _ keys: [String]
  ) throws(ScoringError) -> Double {
    let number = value?.double ?? value?.int.map(Double.init)
    guard let number, number.isFinite, number >= 0 else {
      throw failure(keys, "“\(keys.last ?? "")” must be a number of 0 or more")
    }
    return number
  }

  private func words(
    _ value: (any TOMLValueConvertible)?, _ keys: [String]
  ) throws(ScoringError) -> String? {
    guard let value else { return nil }
    guard let text = value.string else {
      throw failure(keys, "“\(keys.last ?? "")” must be a text")
    }
    return text
  }
}
