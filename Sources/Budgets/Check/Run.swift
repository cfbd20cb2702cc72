import Quantities
import Reporting

/// One recording with its figures.
package struct Run: Sendable {
  /// The file it came from.
  package var source: String
  package var report: Report
  package var figures: ReportFigures

  /// Reads the figures of a report.
  package init(source: String, report: Report) throws {
    self.source = source
    self.report = report
    figures = try ReportFigures(report)
  }

  /// The share of its records that was lost, or is damaged; nil where the report does not say how many there were.
  package var lostShare: Double? {
    let damaged = report.trace.undecodable.values.reduce(0) { $0 + Double($1) }
    let lost = Double(report.trace.lostEvents) + Double(report.trace.lostSamples) + damaged
    if lost == 0 { return 0 }
    guard let records = report.trace.records else { return nil }
    return lost / (lost + Double(records))
  }

  /// Whether it was recorded to the program's end.
  var isEnded: Bool { report.process.exitStatus != nil || report.process.signal != nil }

  /// Why nothing can be decided from this run; nil where it can.
  func flaw(maxLoss: Double) -> String? {
    let trace = report.trace
    if trace.truncated {
      return "\(source) is truncated: \(trace.truncationNote ?? "its end is missing")"
    }
    guard let share = lostShare else {
      return "\(source) lost records, and does not say of how many"
    }
    let allowed = "more than the \(Figures.percent(maxLoss)) that “max-loss” allows"
    if share > maxLoss {
      return "\(source) lost \(Figures.percent(share)) of its records, \(allowed)"
    }
    // A few records may have told of a long time.
    let time = (trace.lostSeconds ?? 0) / max(trace.durationSeconds, 1e-9)
    guard time > maxLoss else { return nil }
    return "\(source) lost the records of \(Figures.percent(time)) of its time, \(allowed)"
  }

  /// Between what a score or the number of hangs lies; nil for other figures, and in reports that know no bounds.
  func bounds(of path: FigurePath) -> FigureBounds? {
    if path.keys == Self.hangs, let main = report.signals.mainThread {
      let count = Double(main.hangs.count)
      return FigureBounds(
        low: main.fewestHangs.map(Double.init) ?? count,
        high: main.mostHangs.map(Double.init) ?? count,
        advice: "seen from outside, turns near 100 ms may be on either side of it", closeness: 0)
    }
    guard let places = FigureNames.bounds(of: path), let low = figures.numbers[places.low],
      let high = figures.numbers[places.high]
    else { return nil }
    return FigureBounds(low: low, high: high)
  }

  /// Why the figure is of a part of what there was, and whether it is the least of that; nil where it is all, or not
  /// there.
  func part(of path: FigurePath) -> (reason: String, isLeast: Bool)? {
    guard path.keys.count > 2, path.keys[0] == "signals", !Self.wholeFigures.contains(path.keys[2])
    else { return nil }
    switch path.keys[1] {
    case "disk": return report.signals.disk?.missing.map { ($0, true) }
    case "network": return report.signals.network?.missing.map { ($0, true) }
    // What ran for an unknown time had waited for a CPU for one, too.
    case "mainThread" where Self.ofRuns.contains(path.keys[2]) && report.trace.untoldRuns != nil:
      return report.capture.unavailable.first { $0.signal == "cpu" }.map { ($0.reason, false) }
    default: return nil
    }
  }

  private static let hangs = ["signals", "mainThread", "hangs", "count"]

  private static let ofRuns: Set = ["runningSeconds", "runnableSeconds"]

  /// What /proc counts.
  private static let wholeFigures: Set = ["deviceBytesWritten", "reads", "bytesRead"]

  /// The rules that tell whether a figure that is not there could be: what it is of did not occur, or is nothing for
  /// such a program.
  private static let rulesOfFigures = [
    "signals.mainThread.launchSeconds": "launch-time",
    "signals.mainThread.terminationSeconds": "termination-time",
    "signals.memory.growthBytesPerMinute": "footprint-growth",
  ]

  /// Whether the figure does not apply to this recording, which is another thing than not to have been measured.
  func isInapplicable(_ path: FigurePath) -> Bool {
    guard figures.numbers[path] == nil,
      let rule = FigureNames.rule(of: path) ?? Self.rulesOfFigures[path.description],
      let audit = report.audits.first(where: { $0.id == rule })
    else { return false }
    return audit.status == .notApplicable || audit.status == .notObservable
  }

  /// The figure for a comparison: what did not occur in one run of a program and did in another came to zero there.
  func comparedValue(of path: FigurePath, in unit: FigureUnit) -> Double? {
    if let value = figures.value(of: path, in: unit) { return value }
    guard path.keys.last == "value", let rule = FigureNames.rule(of: path) else { return nil }
    return report.audits.contains { $0.id == rule && $0.hadNothing == true } ? 0 : nil
  }

  /// Whether the signal that the figure is of was measured; a rule that was not measured is its own, and the score is
  /// of all of them.
  func holdsSignal(of path: FigurePath) -> Bool {
    switch path.keys.first {
    case "score": true
    case "signals": figures.numbers.keys.contains { $0.keys.starts(with: path.keys.prefix(2)) }
    default: false
    }
  }

  /// How the reason begins of what was not measured.
  static let notMeasured = "not measured"

  /// That the figure is not there, and why.
  func lack(of path: FigurePath) -> String {
    "\(isInapplicable(path) ? "does not apply" : Self.notMeasured): \(absence(of: path))"
  }

  /// Why the figure is not there.
  func absence(of path: FigurePath) -> String {
    let report = report
    if path.keys.first == "score", let note = report.score.note { return note }
    if let kind = path.keys.dropFirst().first, path.keys[0] == "signals",
      let missing = report.capture.unavailable.first(where: { $0.signal == kind })
    {
      return missing.reason
    }
    if let rule = FigureNames.rule(of: path),
      let audit = report.audits.first(where: { $0.id == rule })
    {
      return audit.reason ?? audit.displayValue
    }
    if let list = path.keys.first, list == "phases" || list == "intervals", path.keys.count > 1 {
      let names = Set(
        figures.numbers.keys.filter { $0.keys[0] == list && $0.keys.count > 2 }
          .map { $0.keys[1] })
      if !names.contains(path.keys[1]) {
        return "\(source) has no \(list.dropLast()) “\(path.keys[1])”; "
          + NearestName.hint(path.keys[1], among: names)
      }
    }
    return "\(source) does not hold it"
  }
}

/// Between what a figure lies: by default a score.
struct FigureBounds {
  var low: Double
  var high: Double
  /// What is to be done about them.
  var advice = "too little was seen to tell; record for longer"
  /// Bounds that are no farther apart than this are one number.
  var closeness = 1.0
}

/// The recordings of one scenario, or of none in particular.
package struct RunSet: Sendable {
  package var scenario: String?
  package var runs: [Run]

  /// Runs that are compared as one.
  package init(scenario: String?, runs: [Run]) {
    self.scenario = scenario
    self.runs = runs
  }
}

extension [Run] {
  /// What keeps the figures from being taken together: runs of different environments, or of different programs.
  package func mixture(at path: FigurePath) -> String? {
    guard let first else { return nil }
    let environment = Fingerprint(first.report)
    for run in dropFirst() {
      var differences = Fingerprint(run.report).differences(from: environment, for: path)
      let (before, after) = (first.report.process.name, run.report.process.name)
      if before != after { differences.append("the program \(before) became \(after)") }
      if !differences.isEmpty {
        return "from \(first.source) to \(run.source) \(differences.joined(separator: ", "))"
      }
    }
    return nil
  }
}
