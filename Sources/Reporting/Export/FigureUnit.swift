import Quantities
import Rules

/// What a figure counts, told by its name as the contract of the report has it.
package enum FigureUnit: Sendable, Equatable {
  case seconds, bytes, joules, points, share
  /// Plain numbers, with the words to put behind them.
  case number(String)

  /// The unit of the figure at a path, as most recordings have it: `ReportFigures.unit(of:)` is one recording's.
  package static func of(_ path: FigurePath) -> FigureUnit {
    if let rule = FigureNames.rule(of: path), let last = path.keys.last,
      last == "value" || last == "limit", let unit = Catalogue.rule(rule)?.metadata.unit
    {
      return rateUnit(unit)
    }
    if FigureNames.isBound(path) { return .points }
    // A name in a dictionary such as `blockedByCause.file` has its dictionary's unit.
    for key in path.keys.reversed() {
      if let unit = named(key) { return unit }
    }
    return .number("")
  }

  private static func named(_ key: String) -> FigureUnit? {
    let lower = key.lowercased()
    if lower.contains("score") || lower == "overall" { return .points }
    if lower.contains("bytesperminute") { return .number("B/min") }
    if lower.hasSuffix("perminute") { return .number("/min") }
    if lower.hasSuffix("persecond") { return .number("/s") }
    if lower.hasSuffix("seconds") || key == "blockedByCause" { return .seconds }
    if lower.contains("bytes") { return .bytes }
    if lower.hasSuffix("joules") { return .joules }
    if lower.hasSuffix("share") || lower.hasSuffix("cycle") { return .share }
    return nil
  }

  /// The unit of a rule's value by the unit's word in the catalogue.
  static func rateUnit(_ unit: String) -> FigureUnit {
    switch unit {
    case "s", "seconds": .seconds
    case "B", "bytes": .bytes
    case "J", "joules": .joules
    default: .number(unit)
    }
  }

  /// A value with its unit, for people.
  package func text(_ value: Double) -> String {
    switch self {
    case .seconds: return Figures.seconds(value)
    case .bytes: return Figures.bytes(value)
    case .joules: return Figures.joules(value)
    case .share: return Figures.percent(value)
    case .points: return Figures.brief(value)
    case .number(let unit):
      let whole = value.rounded() == value && value.magnitude < 1e15
      let number =
        whole ? Figures.grouped(Int(value)) : Figures.brief(value)
      if unit.isEmpty { return number }
      // Rules count by `1/s` and `1/min`.
      return unit.hasPrefix("/") || unit.hasPrefix("1/")
        ? number + unit.drop { $0 == "1" } : "\(number) \(unit)"
    }
  }
}

extension FigureUnit {
  /// The unit's own word, as in the JSON of a check.
  package var name: String {
    switch self {
    case .seconds: "s"
    case .bytes: "B"
    case .joules: "J"
    case .points: "points"
    case .share: "1"
    case .number(let unit): unit
    }
  }

  /// The unit that has this word.
  package init(named name: String) {
    let own: [FigureUnit] = [.seconds, .bytes, .joules, .points, .share]
    self = own.first { $0.name == name } ?? .number(name)
  }

  /// Two values for people, with so many digits that they differ where the values do.
  package func texts(_ left: Double, _ right: Double) -> (String, String) {
    let texts = (text(left), text(right))
    guard texts.0 == texts.1, left != right else { return texts }
    func exact(_ value: Double) -> String {
      let isWhole = value.rounded() == value && value.magnitude < 1e15
      return isWhole ? Figures.grouped(Int(value)) : "\(value)"
    }
    let unit = name.isEmpty || name == "1" ? "" : " " + name
    return (exact(left) + unit, exact(right) + unit)
  }

  /// A difference with its sign.
  package func signed(_ value: Double) -> String { (value < 0 ? "" : "+") + text(value) }
}
