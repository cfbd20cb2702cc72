import Reporting

/// What goes with the limit of a tool's score.
///
/// A tool works until it is done, and may own its cores and much memory: its score says how it uses them and hardly
/// how much. A program that takes a hundred times the memory keeps its score, so where there is a baseline these
/// figures are held against it too, and where there is none the check says what its limit does not see.
extension BudgetChecker {
  private static let figures = [
    "signals.cpu.totalSeconds", "signals.memory.peakFootprintBytes", "signals.disk.bytesWritten",
  ]
  /// More than the same program varies from one run to the next.
  private static let allowed = AllowedChange(relative: 0.25)

  /// Each score limit with the recordings of tools that it is for.
  private var limits: [(budget: Budget, set: RunSet)] {
    file.budgets.filter { $0.level != .off && $0.path.description == "score.overall" }
      .flatMap { budget in
        sets.filter { set in
          (budget.scenario == nil || budget.scenario == set.scenario)
            && (onlyScenario == nil || set.scenario == onlyScenario)
            && set.runs.allSatisfy { $0.report.score.profile == "tool" }
        }.map { (budget, $0) }
      }
  }

  /// The figures that no budget of the file is about, to be compared with the baseline.
  func resultsBesideScores() -> [PendingResult] {
    limits.flatMap { limit, set -> [PendingResult] in
      guard let part = baseline?.part(for: set.scenario) else { return [] }
      return Self.figures.compactMap { name in
        guard let path = FigurePath(name), part.figures[name] != nil,
          !file.budgets.contains(where: { $0.path == path && $0.level != .off })
        else { return nil }
        var budget = limit
        budget.path = path
        (budget.min, budget.max) = (nil, nil)
        budget.change = Self.allowed
        budget.direction = .lower
        budget.note = "goes with the limit of a tool's score, which is not about how much it uses"
        let values = set.runs.compactMap { $0.figures.numbers[path] }
        guard values.count == set.runs.count else { return nil }
        return PendingResult(
          budget, path: path, scenario: set.scenario, values: values)
      }
    }
  }

  /// What limits of scores do not see.
  func notesOnScores() -> [String] {
    let hasLimits = Self.figures.allSatisfy { name in
      file.budgets.contains { $0.path.description == name && $0.level != .off }
    }
    guard !hasLimits else { return [] }
    return limits.filter { baseline?.part(for: $0.set.scenario) == nil }.prefix(1).map { _, set in
      let name = set.runs.first?.report.process.name ?? "the program"
      return
        "\(name) is a tool, whose score says little of how much CPU time, memory and disk it takes: "
        + "`lull check --init` writes limits for these, and with a baseline they are held against it"
    }
  }
}
