import Reporting

extension ReportFigures {
  private static let periods: [String: Double] = ["s": 1, "min": 60, "h": 3600, "day": 86400]
  private static let byTheRun = "run"

  /// A figure in a unit that `commonUnit` gave.
  func value(of path: FigurePath, in unit: FigureUnit) -> Double? {
    guard let value = numbers[path] else { return nil }
    let own = self.unit(of: path)
    return own == unit ? value : factor(own, unit).map { value * $0 }
  }

  /// What a rule counts by the time becomes one by the run by how long that was: nothing else is turned into another.
  private func factor(_ own: FigureUnit, _ unit: FigureUnit) -> Double? {
    let (from, to) = (own.name.split(separator: "/"), unit.name.split(separator: "/"))
    guard from.count == 2, to.count == 2, from[0] == to[0], to[1] == Self.byTheRun,
      let period = Self.periods[String(from[1])],
      let seconds = numbers[FigurePath(keys: ["trace", "durationSeconds"])]
    else { return nil }
    return seconds / period
  }

  /// The unit in which recordings of one program can be taken together: a run of a tool about as long as a rule's unit
  /// of time is counted by the run one time and by the time the next. Nil where there is none.
  static func commonUnit(_ all: [ReportFigures], at path: FigurePath) -> FigureUnit? {
    var units: [FigureUnit] = []
    for unit in all.map({ $0.unit(of: path) }) where !units.contains(unit) { units.append(unit) }
    guard units.count > 1 else { return units.first ?? FigureUnit.of(path) }
    guard let unit = units.first(where: { $0.name.hasSuffix("/" + byTheRun) }) else { return nil }
    let canBeHeld = all.allSatisfy { figures in
      let own = figures.unit(of: path)
      return own == unit || figures.factor(own, unit) != nil
    }
    return canBeHeld ? unit : nil
  }
}

extension [Run] {
  /// The unit in which these runs can be taken together; nil where there is none.
  func commonUnit(at path: FigurePath) -> FigureUnit? {
    ReportFigures.commonUnit(map(\.figures), at: path)
  }

  /// Why there is no such unit.
  func unitsDiffer(at path: FigurePath) -> String {
    let units = Set(map { $0.figures.unit(of: path).name }).sorted()
    return "it is counted in \(units.joined(separator: " and in "))"
  }
}
