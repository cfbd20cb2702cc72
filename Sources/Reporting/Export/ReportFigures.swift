/// Every figure of one report by its path, without the lists of nameless things.
package struct ReportFigures: Sendable, Equatable {
  /// Numbers; those of items with the same name are added up.
  package private(set) var numbers: [FigurePath: Double] = [:]
  /// Texts.
  package private(set) var texts: [FigurePath: String] = [:]
  /// Objects and lists that are null: what was not measured.
  package private(set) var missing: Set<FigurePath> = []

  package init() {}

  /// The figures of a report.
  package init(_ report: Report) throws {
    try self.init(json: Array(JSONReport.render(report).utf8))
  }

  /// The figures of a report's JSON; unknown keys are passed over.
  package init(json: [UInt8]) throws {
    self = try FigureScanner(json).figures
    leaveOutParts()
  }

  /// Of a signal that is known in part its figures are the least that there was: nothing is to be held against them.
  private mutating func leaveOutParts() {
    let network = ["signals", "network"]
    guard texts[FigurePath(keys: network + ["missing"])] != nil else { return }
    numbers = numbers.filter { !$0.key.keys.starts(with: network) }
    miss(network)
  }

  /// Whether something on the way to a path is null.
  package func isMissing(_ path: FigurePath) -> Bool {
    (1...max(path.keys.count, 1)).contains { length in
      missing.contains(FigurePath(keys: Array(path.keys.prefix(length))))
    }
  }

  /// The unit of a figure, as the report has it: what a rule counts by the time is by the run where that was short.
  package func unit(of path: FigurePath) -> FigureUnit {
    guard let rule = FigureNames.rule(of: path), let last = path.keys.last,
      last == "value" || last == "limit",
      let unit = texts[FigurePath(keys: ["audits", rule, "unit"])]
    else { return FigureUnit.of(path) }
    return FigureUnit.rateUnit(unit)
  }

  mutating func add(_ value: Double, at keys: [String]) {
    numbers[FigurePath(keys: keys), default: 0] += value
  }

  mutating func set(_ text: String, at keys: [String]) { texts[FigurePath(keys: keys)] = text }
  mutating func miss(_ keys: [String]) { missing.insert(FigurePath(keys: keys)) }
}
