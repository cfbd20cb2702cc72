import Reporting

/// Holds budgets against recordings.
package struct BudgetChecker: Sendable {
  package var file: BudgetFile
  package var sets: [RunSet]
  package var baseline: Baseline?
  /// Compare with a baseline of another environment too.
  package var force = false
  /// The only scenario that is looked at; nil for all.
  package var onlyScenario: String?

  /// A check that is ready to run.
  package init(file: BudgetFile, sets: [RunSet], baseline: Baseline? = nil) {
    self.file = file
    self.sets = sets
    self.baseline = baseline
  }

  /// The verdict on every budget.
  package func check() -> CheckResult {
    var pending: [PendingResult] = []
    for budget in file.budgets where budget.level != .off {
      if let onlyScenario, let scenario = budget.scenario, scenario != onlyScenario { continue }
      pending += results(of: budget)
    }
    pending += resultsBesideScores()
    judgeChanges(&pending)
    return CheckResult(
      budget: file.path, results: pending.map(\.result), notes: notes(),
      environment: sets.first?.runs.first.map { Fingerprint($0.report) },
      policy: file.settings.inconclusive)
  }

  private func results(of budget: Budget) -> [PendingResult] {
    let matching = sets.filter { budget.scenario == nil || $0.scenario == budget.scenario }
    guard !matching.isEmpty else {
      let name = budget.scenario ?? ""
      return [
        PendingResult(
          budget, path: budget.path, scenario: name,
          inconclusive: "the scenario was not recorded; give its recordings as \(name)=TRACE")
      ]
    }
    return matching.flatMap { set in
      paths(of: budget, in: set).map { result(of: budget, at: $0, in: set) }
    }
  }

  /// The paths that a path with `*` stands for.
  private func paths(of budget: Budget, in set: RunSet) -> [FigurePath] {
    guard budget.path.keys.contains("*") else { return [budget.path] }
    var found: Set<FigurePath> = []
    for run in set.runs {
      found.formUnion(run.figures.numbers.keys.filter(budget.path.matches))
      found.formUnion(run.figures.texts.keys.filter(budget.path.matches))
    }
    return found.isEmpty ? [budget.path] : found.sorted { "\($0)" < "\($1)" }
  }

  private func result(of budget: Budget, at path: FigurePath, in set: RunSet) -> PendingResult {
    for run in set.runs {
      if let flaw = run.flaw(maxLoss: file.settings.maxLoss) {
        return PendingResult(budget, path: path, scenario: set.scenario, inconclusive: flaw)
      }
    }
    if !force, let mixture = set.runs.mixture(at: path) {
      return PendingResult(
        budget, path: path, scenario: set.scenario,
        inconclusive: "the recordings are not of one environment: \(mixture); check each sort by "
          + "itself, or all the same with --force-baseline")
    }
    // Runs in which it did not occur have no figure, and none of them makes one of zero.
    var set = set
    let none = set.runs.first
    set.runs.removeAll { $0.isInapplicable(path) }
    if let none, set.runs.isEmpty {
      return PendingResult(
        budget, path: path, scenario: set.scenario, inapplicable: none.lack(of: path))
    }
    if budget.kind == .text { return statusResult(of: budget, at: path, in: set) }
    guard let unit = set.runs.commonUnit(at: path) else {
      return PendingResult(
        budget, path: path, scenario: set.scenario, inconclusive: set.runs.unitsDiffer(at: path))
    }
    var values: [Double] = []
    for run in set.runs {
      guard let value = run.figures.value(of: path, in: unit) else {
        return PendingResult(
          budget, path: path, scenario: set.scenario,
          inconclusive: "not measured: \(run.absence(of: path))")
      }
      values.append(value)
    }
    var pending = PendingResult(
      budget, path: path, scenario: set.scenario, values: values, unit: unit)
    let bounds = set.runs.compactMap { $0.bounds(of: path) }
    if bounds.count == set.runs.count {
      pending.hold(bounds, to: budget)
    } else {
      pending.hold(to: budget)
    }
    // What is more than is allowed is so whatever there was besides.
    if let part = set.runs.lazy.compactMap({ $0.part(of: path) }).first,
      !part.isLeast || pending.result.verdict != .fail || budget.max == nil
    {
      return PendingResult(
        budget, path: path, scenario: set.scenario,
        inconclusive: "not all of it is known: \(part.reason)")
    }
    explain(&pending, set)
    return pending
  }

  /// The verdict of a rule: the middle one of the runs.
  private func statusResult(
    of budget: Budget, at path: FigurePath, in set: RunSet
  ) -> PendingResult {
    var statuses: [RuleStatus] = []
    for run in set.runs {
      guard let status = run.figures.texts[path].flatMap(RuleStatus.init) else {
        return PendingResult(
          budget, path: path, scenario: set.scenario,
          inconclusive: "not measured: \(run.absence(of: path))")
      }
      statuses.append(status)
    }
    var pending = PendingResult(budget, path: path, scenario: set.scenario, values: [])
    let middle = statuses.sorted()[statuses.count / 2]
    pending.hold(middle, to: budget, range: statusRange(at: path, of: set))
    explain(&pending, set)
    return pending
  }

  /// The best and the worst that a rule's verdict may be by the bounds of its score; nil where they are not known.
  private func statusRange(
    at path: FigurePath, of set: RunSet
  ) -> ClosedRange<RuleStatus>? {
    let score = FigurePath(keys: Array(path.keys.dropLast()) + ["score"])
    let bounds = set.runs.compactMap { $0.bounds(of: score) }
    guard bounds.count == set.runs.count else { return nil }
    let best = bounds.map { RuleStatus(score: $0.high) }.sorted()[bounds.count / 2]
    let worst = bounds.map { RuleStatus(score: $0.low) }.sorted()[bounds.count / 2]
    return min(best, worst)...max(best, worst)
  }

  /// Says who is to blame, from the run that is nearest to what the runs say together.
  private func explain(_ pending: inout PendingResult, _ set: RunSet) {
    let middle = pending.result.measured ?? 0
    let values = pending.result.values
    let index =
      values.indices.min { abs(values[$0] - middle) < abs(values[$1] - middle) } ?? 0
    guard set.runs.indices.contains(index),
      let finding = BlameFinder.find(pending.path, in: set.runs[index].report)
    else { return }
    pending.result.rule = finding.rule
    pending.result.advice = finding.advice.isEmpty ? nil : finding.advice
    pending.result.blame = finding.blame
  }

  /// A baseline tells no functions: whoever has most of a figure now may have had it before, and is named for the
  /// change only where that cannot be.
  private func leaveInnocent(_ pending: inout PendingResult, _ samples: FigureSamples) {
    let (base, new) = (
      Aggregation.median.value(of: samples.base), Aggregation.median.value(of: samples.new)
    )
    let runs = sets.first { $0.scenario == pending.result.scenario }?.runs ?? []
    guard pending.result.blame?.function != nil,
      !runs.allSatisfy({
        BlameFinder.isSure(pending.path, in: $0.report, base: base, new: new)
      })
    else { return }
    pending.result.blame = nil
    pending.result.blameReason =
      "a baseline tells no functions; `lull compare` with recordings of before tells what grew"
  }

  /// Judges all changes from the baseline together.
  private func judgeChanges(_ pending: inout [PendingResult]) {
    var samples: [(index: Int, samples: FigureSamples)] = []
    for index in pending.indices {
      guard let change = pending[index].budget.change, !pending[index].result.values.isEmpty
      else { continue }
      guard let before = base(of: &pending[index]) else { continue }
      samples.append(
        (
          index,
          FigureSamples(
            base: before, new: pending[index].result.values, allowed: change,
            direction: pending[index].budget.direction)
        ))
    }
    let outcomes = ComparisonSuite.judge(
      samples.map(\.samples), significance: file.settings.significance)
    for (sample, outcome) in zip(samples, outcomes) {
      let isOverLimit = pending[sample.index].result.verdict == .fail
      pending[sample.index].take(outcome, of: sample.samples)
      if !isOverLimit { leaveInnocent(&pending[sample.index], sample.samples) }
    }
  }

  /// The baseline's runs of a figure; where they cannot be used the result says why.
  private func base(of pending: inout PendingResult) -> [Double]? {
    guard let baseline else {
      pending.doubt("there is no baseline; write one with --update-baseline")
      return nil
    }
    let scenario = pending.result.scenario
    guard let part = baseline.part(for: scenario) else {
      pending.doubt("the baseline has no scenario “\(scenario ?? "")”; update it")
      return nil
    }
    guard let values = part.figures[pending.path.description], !values.isEmpty else {
      pending.doubt("the baseline does not hold it; update it")
      return nil
    }
    let unit = part.units?[pending.path.description] ?? FigureUnit.of(pending.path).name
    guard unit == pending.result.unit else {
      pending.doubt(
        "the baseline counts it in \(unit), this run in \(pending.result.unit); update it")
      return nil
    }
    let here = sets.first { $0.scenario == scenario }?.runs.first.map { Fingerprint($0.report) }
    if let here, !force {
      let differences = here.differences(from: part.environment, for: pending.path)
      guard differences.isEmpty else {
        pending.doubt(
          "the baseline is of another environment: \(differences.joined(separator: ", ")); "
            + "update it, or compare all the same with --force-baseline")
        return nil
      }
    }
    return values
  }

  private func notes() -> [String] {
    var notes = notesOnScores()
    for run in sets.flatMap(\.runs) where !run.report.capture.sampled.isEmpty {
      notes.append("\(run.source): some events were sampled, so counts are estimates")
    }
    if file.budgets.isEmpty { notes.append("\(file.path) holds no budget: nothing was checked") }
    return notes
  }
}
