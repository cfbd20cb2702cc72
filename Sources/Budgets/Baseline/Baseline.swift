import FoundationEssentials
import Reporting

/// Figures to compare with: those of earlier runs, and where they come from.
package struct Baseline: Sendable, Equatable, Codable {
  /// The schema that this version writes.
  package static let schema = "lull.baseline/1"

  /// The figures of one scenario.
  package struct Part: Sendable, Equatable, Codable {
    package var environment: Fingerprint
    /// Each figure's value in each run.
    package var figures: [String: [Double]]
    /// The units of those that are counted otherwise than in most recordings: by the run.
    package var units: [String: String]?
  }

  package var schema = Baseline.schema
  /// By the scenario's name, empty for recordings without one.
  package var scenarios: [String: Part]

  /// The figures of recordings.
  ///
  /// - Throws: `BaselineError.mixture` where those of one scenario are not of one environment.
  package init(sets: [RunSet]) throws(BaselineError) {
    scenarios = [:]
    for set in sets {
      guard let first = set.runs.first else { continue }
      if let mixture = set.runs.mixture(at: Self.everything) { throw .mixture(mixture) }
      scenarios[set.scenario ?? ""] = Part(
        environment: Fingerprint(first.report), figures: Self.values(set.runs.map(\.figures)),
        units: Self.units(set.runs.map(\.figures)))
    }
  }

  /// A figure for which all of an environment counts.
  package static let everything = FigurePath(keys: ["signals", "cpu", "totalSeconds"])

  /// The figures of one report, of which parts may be missing: it may be of an older version.
  private init(_ figures: ReportFigures) {
    scenarios = [
      "": Part(
        environment: Fingerprint(figures), figures: Self.values([figures]),
        units: Self.units([figures]))
    ]
  }

  /// Each lasting figure's value in each run.
  private static func values(_ runs: [ReportFigures]) -> [String: [Double]] {
    var values: [String: [Double]] = [:]
    for path in lasting(runs) {
      guard let unit = ReportFigures.commonUnit(runs, at: path) else { continue }
      values[path.description] = runs.compactMap { $0.value(of: path, in: unit).map(rounded) }
    }
    return values
  }

  /// The units that are not as in most recordings; nil where there are none.
  private static func units(_ runs: [ReportFigures]) -> [String: String]? {
    var units: [String: String] = [:]
    for path in lasting(runs) {
      guard let unit = ReportFigures.commonUnit(runs, at: path), unit != FigureUnit.of(path)
      else { continue }
      units[path.description] = unit.name
    }
    return units.isEmpty ? nil : units
  }

  /// The figures of a scenario; those without one where the baseline is of a single report.
  package func part(for scenario: String?) -> Part? {
    scenarios[scenario ?? ""] ?? (scenarios.count == 1 ? scenarios[""] : nil)
  }

  /// The figures that every run has, but for ids and other numbers that are no measurement.
  private static func lasting(_ runs: [ReportFigures]) -> [FigurePath] {
    guard let first = runs.first else { return [] }
    return first.numbers.keys.filter { path in
      FigureNames.isMeasured(path) && runs.allSatisfy { $0.numbers[path] != nil }
    }
  }

  /// Six digits that mean something: fewer lines differ for nothing.
  static func rounded(_ value: Double) -> Double {
    guard value != 0, value.isFinite else { return 0 }
    if value.rounded() == value, value.magnitude < 1e15 { return value }
    var scale = 1.0
    while value.magnitude * scale < 100_000, scale < 1e18 { scale *= 10 }
    return (value * scale).rounded() / scale
  }

  /// Reads a baseline, or takes a report for one of a single run.
  package static func parse(_ text: String) throws -> Baseline {
    struct Header: Decodable { var schema: String? }
    let data = Data(text.utf8)
    switch try JSONDecoder().decode(Header.self, from: data).schema {
    case schema: return try JSONDecoder().decode(Baseline.self, from: data)
    case Report.schema:
      return Baseline(try ReportFigures(json: Array(text.utf8)))
    default: throw BaselineError.schema
    }
  }

  /// Takes over the scenarios of another baseline, keeping those that it does not have.
  package mutating func merge(_ other: Baseline) {
    scenarios.merge(other.scenarios) { $1 }
  }

  /// The baseline as JSON: sorted keys, a line for each figure, so that a diff can be read.
  package func render() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    var lines = ["{", "  \"scenarios\": {"]
    let names = scenarios.keys.sorted()
    for name in names {
      guard let part = scenarios[name] else { continue }
      lines.append("    \(try json(name)): {")
      lines.append("      \"environment\": \(try json(part.environment)),")
      lines.append("      \"figures\": {")
      let paths = part.figures.keys.sorted()
      for path in paths {
        let values = (part.figures[path] ?? []).map(Self.number).joined(separator: ", ")
        lines.append("        \(try json(path)): [\(values)]" + (path == paths.last ? "" : ","))
      }
      lines.append("      }" + (part.units == nil ? "" : ","))
      if let units = part.units { lines.append("      \"units\": \(try json(units))") }
      lines.append("    }" + (name == names.last ? "" : ","))
    }
    lines += ["  },", "  \"schema\": \(try json(schema))", "}", ""]
    return lines.joined(separator: "\n")
  }

  private static func number(_ value: Double) -> String {
    value.rounded() == value && value.magnitude < 1e15 ? String(Int64(value)) : "\(value)"
  }
}

/// Why a file is no baseline.
package enum BaselineError: Error, Sendable, CustomStringConvertible {
  case schema
  case mixture(String)

  package var description: String {
    switch self {
    case .schema: "it is neither a report of Lull nor a baseline; write one with --update-baseline"
    case .mixture(let reason): "the recordings are not of one environment: \(reason)"
    }
  }
}
