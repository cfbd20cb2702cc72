import Quantities
import Reporting
import TOMLKit

/// Reads budget files strictly: what is not understood is an error with its line.
package enum BudgetParser {
  /// The tables of a project's file, those of other commands too.
  static let sections = ["budget", "scenario", "settings"] + DefaultOptions.known.keys

  /// Reads a budget file's text; `path` is for errors.
  package static func parse(_ text: String, path: String) throws(BudgetFileError) -> BudgetFile {
    let document = StrictTable.Document(path: path, lines: TOMLLines(text))
    let root = StrictTable(table: try table(text, path), place: "", document: document)
    try root.allow(sections)
    var file = BudgetFile(path: path)
    if let settings = try root.table("settings") { file.settings = try read(settings: settings) }
    for table in try root.tables("scenario") {
      let scenario = try ScenarioParser.parse(table)
      if file.scenario(scenario.name) != nil {
        throw table.error("there are two scenarios called “\(scenario.name)”", at: "name")
      }
      file.scenarios.append(scenario)
    }
    for table in try root.tables("budget") {
      file.budgets.append(try read(budget: table, in: file))
    }
    return file
  }

  static func table(_ text: String, _ path: String) throws(BudgetFileError) -> TOMLTable {
    do {
      return try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw BudgetFileError(
        path: path, line: error.source.begin.line, message: error.description)
    } catch {
      throw BudgetFileError(path: path, line: 0, message: "is not TOML")
    }
  }

  private static func read(settings: StrictTable) throws(BudgetFileError) -> BudgetSettings {
    try settings.allow(["max-loss", "inconclusive", "aggregate", "baseline", "significance"])
    var result = BudgetSettings()
    result.maxLoss = try settings.number("max-loss", in: 0...1) ?? result.maxLoss
    result.inconclusive =
      try settings.choice("inconclusive", InconclusivePolicy.self) ?? result.inconclusive
    result.aggregate = try settings.choice("aggregate", Aggregation.self) ?? result.aggregate
    result.baseline = try settings.text("baseline")
    result.significance =
      try settings.number("significance", in: 0.0001...0.5) ?? result.significance
    return result
  }

  private static func read(
    budget table: StrictTable, in file: BudgetFile
  ) throws(BudgetFileError) -> Budget {
    try table.allow([
      "path", "max", "min", "change", "worst", "level", "direction", "aggregate", "scenario",
      "phase", "interval", "note",
    ])
    let path = try path(of: table)
    let kind: FigureKind
    do { kind = try FigureSchema.kind(of: path) } catch {
      throw table.error(error.description, at: "path")
    }
    let scenario = try table.text("scenario")
    if let scenario, file.scenario(scenario) == nil {
      let hint = NearestName.hint(scenario, among: file.scenarios.map(\.name))
      throw table.error("there is no scenario “\(scenario)”; \(hint)", at: "scenario")
    }
    let budget = Budget(
      path: path, kind: kind, level: try table.choice("level", BudgetLevel.self) ?? .error,
      max: try table.number("max"), min: try table.number("min"), change: try change(table),
      direction: try table.choice("direction", BudgetDirection.self)
        ?? (FigureNames.isHigherBetter(path) ? .higher : .lower),
      aggregate: try table.choice("aggregate", Aggregation.self) ?? file.settings.aggregate,
      scenario: scenario, note: try table.text("note"), line: table.error("").line,
      worst: try table.choice("worst", RuleStatus.self))
    try check(budget, table)
    return budget
  }

  /// The path from the report's root: that of a phase's or an interval's figure is put behind it.
  private static func path(of table: StrictTable) throws(BudgetFileError) -> FigurePath {
    let text = try table.needed("path")
    guard let path = FigurePath(text) else {
      throw table.error("“\(text)” is not a path; write keys joined by points", at: "path")
    }
    let phase = try table.text("phase")
    let interval = try table.text("interval")
    if phase != nil, interval != nil {
      throw table.error("give a phase or an interval, not both", at: "interval")
    }
    if let phase { return FigurePath(keys: ["phases", phase] + path.keys) }
    if let interval { return FigurePath(keys: ["intervals", interval] + path.keys) }
    return path
  }

  private static func change(_ table: StrictTable) throws(BudgetFileError) -> AllowedChange? {
    guard let change = try table.table("change") else { return nil }
    try change.allow(["relative", "absolute"])
    let bounds = 0...Double.greatestFiniteMagnitude
    let result = AllowedChange(
      relative: try change.number("relative", in: bounds),
      absolute: try change.number("absolute", in: bounds))
    guard result.relative != nil || result.absolute != nil else {
      throw table.error("“change” needs “relative”, “absolute” or both", at: "change")
    }
    return result
  }

  private static func check(_ budget: Budget, _ table: StrictTable) throws(BudgetFileError) {
    if budget.kind == .text {
      guard budget.path.keys.first == "audits", budget.path.keys.last == "status" else {
        throw table.error("“\(budget.path)” is a text, which has no limit", at: "path")
      }
      guard budget.worst != nil, budget.max == nil, budget.min == nil, budget.change == nil else {
        throw table.error(
          "a rule's status is limited by “worst” = \"pass\" or \"warn\", and by nothing else")
      }
      return
    }
    if budget.worst != nil {
      throw table.error("“worst” is for a rule's status, audits.ID.status", at: "worst")
    }
    guard budget.max != nil || budget.min != nil || budget.change != nil else {
      throw table.error("the budget sets no limit; give “max”, “min” or “change”")
    }
    if let max = budget.max, let min = budget.min, min > max {
      throw table.error("“min” is more than “max”: nothing can pass", at: "min")
    }
  }
}
