import Rules

/// The names that lists of a report have by design.
package enum FigureNames {
  /// The ids in the list at a path; nil when they depend on the recording.
  package static func ids(of path: FigurePath) -> [String]? {
    switch path.keys {
    case ["audits"]: Catalogue.all.map { $0.metadata.id }
    case ["score", "categories"]: RuleCategory.allCases.map { $0.rawValue }
    default: nil
    }
  }

  /// Whether more of the figure is better: scores only.
  package static func isHigherBetter(_ path: FigurePath) -> Bool {
    guard let last = path.keys.last else { return false }
    return last == "score" || path.keys == ["score", "overall"] || isBound(path)
  }

  /// Whether the figure is a bound of a score.
  static func isBound(_ path: FigurePath) -> Bool {
    guard let last = path.keys.last, last == "low" || last == "high" else { return false }
    return path.keys[0] == "score" || path.keys[0] == "audits"
  }

  /// Where the bounds of a score stand: beside it.
  package static func bounds(of path: FigurePath) -> (low: FigurePath, high: FigurePath)? {
    guard let first = path.keys.first, first == "score" || first == "audits",
      path.keys == ["score", "overall"] || path.keys.last == "score"
    else { return nil }
    let place = Array(path.keys.dropLast())
    return (FigurePath(keys: place + ["low"]), FigurePath(keys: place + ["high"]))
  }

  /// The rule whose figure this is.
  package static func rule(of path: FigurePath) -> String? {
    path.keys.count > 1 && path.keys[0] == "audits" ? path.keys[1] : nil
  }
}

extension FigureNames {
  /// Whether the figure is so much a time, which depends on the machine as a time does.
  package static func isRate(_ path: FigurePath) -> Bool {
    guard case .number(let unit) = FigureUnit.of(path) else { return false }
    return unit.contains("/")
  }

  /// Whether the figure is a measurement that lasts: no id, and no name that comes and goes.
  package static func isMeasured(_ path: FigurePath) -> Bool {
    switch path.keys.first {
    case "score": return path.keys.last == "overall" || path.keys.last == "score"
    case "audits":
      // Evidence is of files and hosts, whose names come and go.
      return path.keys.count == 3 && (path.keys[2] == "value" || path.keys[2] == "score")
    case "phases", "intervals": return true
    case "signals":
      // Names of threads and files come and go.
      let inner = path.keys.count > 1 ? path.keys[1] : ""
      let isFile = path.keys.count > 3 && path.keys[2] == "files"
      return inner != "threads" && !isFile && path.keys.last != "tid"
    default: return false
    }
  }
}
