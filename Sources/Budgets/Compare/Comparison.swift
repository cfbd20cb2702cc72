import Reporting

/// What came of comparing two sets of runs.
package enum ComparisonVerdict: String, Sendable, Codable {
  case worse, better, unchanged
  /// Past what is allowed, but the noise of these runs explains it.
  case ambiguous
  /// Past what is allowed, with too few runs to tell it from noise.
  case tooFewRuns
  /// Not measured, or not under the same conditions.
  case incomparable
  /// Measured on neither side, though its signal was: what follows from others' figures, did not come to its end, or
  /// does not apply.
  case notMeasured
}

/// One figure before and after.
package struct ComparedFigure: Sendable, Equatable, Codable {
  /// Its path in the report.
  package var path: String
  package var unit: String
  package var verdict: ComparisonVerdict
  package var base: Double?
  package var new: Double?
  /// 95 % bootstrap intervals of the medians, and of their change; nil of one run, which shows no spread.
  package var baseInterval: [Double]?
  package var newInterval: [Double]?
  package var change: Double?
  package var relativeChange: Double?
  package var changeInterval: [Double]?
  /// Corrected for the number of figures; nil for those without noise.
  package var pValue: Double?
  /// Whether its runs agree with one another, so that no test is needed.
  package var isDeterministic: Bool
  /// What may be between base and new, in the figure's unit.
  package var allowed: Double?
  package var baseValues: [Double]
  package var newValues: [Double]
  /// Why it cannot be compared.
  package var reason: String?
  /// The rule that explains a change for the worse, and who is to blame.
  package var rule: String?
  package var advice: String?
  package var blame: Blame?
  /// Why nobody is blamed for a change for the worse.
  package var blameReason: String?
}

/// The outcome of `lull compare`.
package struct Comparison: Sendable, Codable {
  /// The schema that this version writes.
  package static let schema = "lull.compare/1"

  package var schema = Comparison.schema
  package var verdict: BudgetVerdict
  package var baseRuns: Int
  package var newRuns: Int
  package var figures: [ComparedFigure]
  package var notes: [String]
}

/// Compares two sets of runs, figure by figure.
package struct RunComparer: Sendable {
  /// A figure to compare, and what is allowed.
  struct Gate {
    var path: FigurePath
    var allowed: AllowedChange
    var direction: BudgetDirection
    /// Asked for by a budget: that it is not there is worth saying.
    var isAsked: Bool
  }

  var gates: [Gate]
  var maxLoss = BudgetSettings().maxLoss
  /// The chance of calling a change where there is none, over all figures.
  package var significance = BudgetSettings().significance
  /// Compare runs of different environments too.
  package var force = false

  /// Compares the standard figures, each with the same share allowed.
  package init(tolerance: Double? = nil) {
    gates = StandardFigures.all.compactMap { name, _ in
      FigurePath(name).map { path in
        Gate(
          path: path,
          allowed: tolerance.map { AllowedChange(relative: $0) } ?? StandardFigures.allowed,
          direction: FigureNames.isHigherBetter(path) ? .higher : .lower, isAsked: false)
      }
    }
  }

  /// Compares what the budgets of a file say about changes.
  package init(file: BudgetFile, scenario: String?) {
    gates = file.budgets.compactMap { budget in
      guard budget.level != .off, let change = budget.change,
        budget.scenario == nil || budget.scenario == scenario
      else { return nil }
      return Gate(
        path: budget.path, allowed: change, direction: budget.direction, isAsked: true)
    }
    maxLoss = file.settings.maxLoss
    significance = file.settings.significance
  }

  /// Whether there is anything to compare.
  package var isEmpty: Bool { gates.isEmpty }

  /// The outcome for these runs.
  package func compare(base: [Run], new: [Run]) -> Comparison {
    var figures: [ComparedFigure] = []
    var samples: [(index: Int, samples: FigureSamples)] = []
    for gate in gates {
      let common = (base + new).commonUnit(at: gate.path)
      let unit = (common ?? FigureUnit.of(gate.path)).name
      switch sample(gate, base, new, common) {
      case .notMeasured(let reason):
        figures.append(absent(gate, reason, .notMeasured, unit))
      case .found(let found):
        samples.append((figures.count, found))
        figures.append(figure(gate, found, unit))
      case .incomparable(let reason):
        figures.append(absent(gate, reason, .incomparable, unit))
      case .absent: break
      }
    }
    let outcomes = ComparisonSuite.judge(samples.map(\.samples), significance: significance)
    for (sample, outcome) in zip(samples, outcomes) {
      figures[sample.index].pValue = outcome.pValue
      figures[sample.index].verdict =
        ComparisonVerdict(rawValue: outcome.verdict.rawValue) ?? .ambiguous
    }
    explain(&figures, base, new)
    return Comparison(
      verdict: verdict(figures), baseRuns: base.count, newRuns: new.count,
      figures: sorted(figures), notes: notes(base + new, figures))
  }

  private enum Sampling {
    case found(FigureSamples)
    case incomparable(String)
    case notMeasured(String)
    case absent
  }

  private func sample(_ gate: Gate, _ base: [Run], _ new: [Run], _ unit: FigureUnit?) -> Sampling {
    for run in base + new {
      if let flaw = run.flaw(maxLoss: maxLoss) { return .incomparable(flaw) }
    }
    guard let unit else { return .incomparable((base + new).unitsDiffer(at: gate.path)) }
    if let first = (base + new).first, (base + new).allSatisfy({ $0.isInapplicable(gate.path) }) {
      return gate.isAsked ? .notMeasured(first.lack(of: gate.path)) : .absent
    }
    let lacking = (base + new).filter { $0.comparedValue(of: gate.path, in: unit) == nil }
    // Those to which it does not apply say nothing of the others.
    let (base, new) = (applicable(base, gate.path, unit), applicable(new, gate.path, unit))
    let before = base.compactMap { $0.comparedValue(of: gate.path, in: unit) }
    let after = new.compactMap { $0.comparedValue(of: gate.path, in: unit) }
    if before.isEmpty || after.isEmpty || before.count < base.count || after.count < new.count {
      let missing = lacking.first { !$0.isInapplicable(gate.path) } ?? lacking.first
      let reason = missing?.lack(of: gate.path) ?? "no runs"
      guard !gate.isAsked, before.count + after.count == 0, missing != nil else {
        return .incomparable(reason)
      }
      return lacking.allSatisfy { $0.holdsSignal(of: gate.path) }
        ? .notMeasured(reason) : .incomparable(reason)
    }
    if let part = (base + new).lazy.compactMap({ $0.part(of: gate.path) }).first {
      return .incomparable("not all of it is known: \(part.reason)")
    }
    if !force, let mixture = base.mixture(at: gate.path) ?? new.mixture(at: gate.path) {
      return .incomparable("\(Self.otherEnvironment): \(mixture)")
    }
    if let first = base.first, let other = new.first, !force {
      let differences = Fingerprint(other.report)
        .differences(from: Fingerprint(first.report), for: gate.path)
      // The compiler may be the very change that is looked at.
      let serious = differences.filter { !$0.hasPrefix("Swift ") }
      guard serious.isEmpty else {
        return .incomparable("\(Self.otherEnvironment): \(serious.joined(separator: ", "))")
      }
    }
    return .found(
      FigureSamples(
        base: before, new: after, allowed: gate.allowed, direction: gate.direction))
  }

  private func applicable(_ runs: [Run], _ path: FigurePath, _ unit: FigureUnit) -> [Run] {
    runs.filter { $0.comparedValue(of: path, in: unit) != nil || !$0.isInapplicable(path) }
  }

  private func figure(
    _ gate: Gate, _ samples: FigureSamples, _ unit: String
  ) -> ComparedFigure {
    let base = Aggregation.median.value(of: samples.base)
    func interval(_ values: [Double]) -> [Double]? {
      guard values.count > 1 else { return nil }
      let range = Bootstrap.median(values)
      return [range.lowerBound, range.upperBound]
    }
    return ComparedFigure(
      path: gate.path.description, unit: unit, verdict: .unchanged,
      base: base, new: Aggregation.median.value(of: samples.new),
      baseInterval: interval(samples.base), newInterval: interval(samples.new),
      change: samples.change,
      relativeChange: samples.relativeChange,
      changeInterval: Bootstrap.interval(of: samples),
      isDeterministic: samples.isDeterministic, allowed: gate.allowed.tolerance(at: base),
      baseValues: samples.base, newValues: samples.new)
  }

  private func absent(
    _ gate: Gate, _ reason: String, _ verdict: ComparisonVerdict, _ unit: String
  ) -> ComparedFigure {
    ComparedFigure(
      path: gate.path.description, unit: unit, verdict: verdict,
      isDeterministic: false, baseValues: [], newValues: [], reason: reason)
  }

  private func explain(_ figures: inout [ComparedFigure], _ base: [Run], _ new: [Run]) {
    for index in figures.indices where figures[index].verdict == .worse {
      guard let path = FigurePath(figures[index].path) else { continue }
      let growth = BlameFinder.findGrowth(path, base: base.map(\.report), new: new.map(\.report))
      figures[index].blameReason = growth.reason
      guard let finding = growth.finding else { continue }
      figures[index].rule = finding.rule
      figures[index].advice = finding.advice.isEmpty ? nil : finding.advice
      figures[index].blame = finding.blame
    }
  }

  private func verdict(_ figures: [ComparedFigure]) -> BudgetVerdict {
    if figures.contains(where: { $0.verdict == .worse }) { return .fail }
    let isOpen =
      figures.allSatisfy { $0.verdict == .notMeasured }
      || figures.contains { $0.verdict == .incomparable || $0.verdict == .tooFewRuns }
    return isOpen ? .inconclusive : .pass
  }

  private func sorted(_ figures: [ComparedFigure]) -> [ComparedFigure] {
    let order: [ComparisonVerdict] = [
      .worse, .incomparable, .tooFewRuns, .better, .ambiguous, .unchanged, .notMeasured,
    ]
    return figures.enumerated().sorted { left, right in
      let ranks = (
        order.firstIndex(of: left.element.verdict) ?? 0,
        order.firstIndex(of: right.element.verdict) ?? 0
      )
      return (ranks.0, left.offset) < (ranks.1, right.offset)
    }.map(\.element)
  }

  /// How the reason begins of what the environments keep from being compared.
  private static let otherEnvironment = "not of one environment"

  private func notes(_ runs: [Run], _ figures: [ComparedFigure]) -> [String] {
    var notes = runs.filter { !$0.report.capture.sampled.isEmpty }.map {
      "\($0.source): some events were sampled, so counts are estimates"
    }
    if figures.contains(where: { $0.reason?.hasPrefix(Self.otherEnvironment) == true }) {
      notes.append("figures of other environments are compared all the same with --force-baseline")
    }
    let isOpen = figures.contains { $0.reason?.hasPrefix(Run.notMeasured) == true }
    if isOpen, gates.contains(where: { !$0.isAsked }) {
      notes.append(
        "what cannot be measured is left out by --budget FILE, whose budgets with a `change` say what to compare"
      )
    }
    return notes
  }
}
