import ArgumentParser
import Budgets
import Files
import Glibc
import Quantities
import Reporting

/// `lull check`: recordings against budgets.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Hold recordings to the budgets of lull.toml.",
    usage: """
      lull check [options] [SCENARIO=]TRACE|REPORT...
      lull check --init RUN RUN RUN...
      lull check --update-baseline RUN...
      lull check --run [--scenario NAME]
      """,
    discussion: """
      Several recordings of a scenario are judged together. Exit status: 0 pass, 2 over budget, \
      3 something could not be measured or nothing applied, 64 usage or a wrong budget file, 65 bad trace, \
      74 input or output, 77 permission.
      """)

  @Option(help: ArgumentHelp("The budget file.", valueName: "path"))
  var budget = "lull.toml"

  @Option(help: ArgumentHelp("The scenario that all recordings are of.", valueName: "name"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "A baseline or a JSON report to compare with, instead of the budget file's.",
      valueName: "path"))
  var baseline: String?

  @Flag(help: "Write the recordings' figures to the baseline, and check nothing.")
  var updateBaseline = false

  @Flag(help: "Compare with a baseline of another environment too.")
  var forceBaseline = false

  @Flag(name: .customLong("init"), help: "Write a budget file of what is stable in these runs.")
  var initialize = false

  @Flag(help: "With --init, overwrite the budget file where it exists.")
  var force = false

  @Flag(name: .customLong("run"), help: "Record the scenarios of the budget file, then check them.")
  var records = false

  @Option(
    help: ArgumentHelp("With --run, keep the recordings in this folder.", valueName: "folder"))
  var keep: String?

  @Flag(help: .hidden)
  var products = false

  @Flag(help: "Print the budgets that passed too.")
  var all = false

  @OptionGroup var outputs: CheckOutputs

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var log: LogOptions

  @Argument(help: "Traces or JSON reports.")
  var recordings: [String] = []

  func validate() throws {
    if records {
      if !recordings.isEmpty {
        throw ValidationError("--run makes its recordings itself; give none.")
      }
      if initialize { throw ValidationError("--init needs recordings, not --run.") }
    } else if recordings.isEmpty, !products {
      throw ValidationError("give at least one trace or JSON report, or --run.")
    }
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    if initialize { return try writeBudget() }
    let file = try BudgetFileInput.read(budget)
    if let scenario, file.scenario(scenario) == nil, !file.scenarios.isEmpty {
      throw Failure(
        status: Exit.usage,
        message: "\(budget) has no scenario “\(scenario)”; "
          + NearestName.hint(scenario, among: file.scenarios.map(\.name)))
    }
    if products {
      return Console.output(
        Set(file.scenarios.compactMap(\.product)).sorted().map { $0 + "\n" }.joined())
    }
    let sets = try records ? record(file) : sets(file)
    if updateBaseline { return try writeBaseline(file, sets) }
    var checker = BudgetChecker(file: file, sets: sets, baseline: try readBaseline(file))
    checker.force = forceBaseline
    checker.onlyScenario = scenario
    let result = checker.check()
    try outputs.write(result, all: all)
    throw ExitCode(Exit.status(of: result.verdict))
  }

  /// The recordings by scenario; those without one are the only scenario's where there is one.
  private func sets(_ file: BudgetFile) throws -> [RunSet] {
    let names = file.scenarios.map(\.name)
    let inputs = recordings.map { ReportInput($0, scenarios: names) }
    let fallback = scenario ?? (names.count == 1 ? names[0] : nil)
    var sets: [RunSet] = []
    for input in inputs {
      let name = input.scenario ?? fallback
      let run = try input.run(analysis)
      if let index = sets.firstIndex(where: { $0.scenario == name }) {
        sets[index].runs.append(run)
      } else {
        sets.append(RunSet(scenario: name, runs: [run]))
      }
    }
    return sets
  }

  /// Records the scenarios, or the one that was asked for.
  private func record(_ file: BudgetFile) throws -> [RunSet] {
    let scenarios = file.scenarios.filter { scenario == nil || $0.name == scenario }
    guard !scenarios.isEmpty else {
      throw Failure(
        status: Exit.usage, message: "\(budget) has no scenario to record; add a [[scenario]]")
    }
    Interruption.watch()
    let folder = try WorkFolder(keep)
    defer { folder.finish() }
    let recorder = ScenarioRecorder(budget: budget, folder: folder, analysis: analysis)
    return try scenarios.map { try recorder.record($0) }
  }

  private func baselinePath(_ file: BudgetFile) -> String? {
    baseline ?? file.settings.baseline.map { BudgetFileInput.path($0, beside: budget) }
  }

  private func readBaseline(_ file: BudgetFile) throws -> Baseline? {
    guard let path = baselinePath(file) else { return nil }
    // One that is not there yet leaves its budgets inconclusive; a path that was asked for must be there.
    if baseline == nil, access(path, F_OK) != 0 { return nil }
    return try parseBaseline(path)
  }

  private func parseBaseline(_ path: String) throws -> Baseline {
    let text = try TextFile.read(path)
    do { return try Baseline.parse(text) } catch {
      throw Failure(
        status: Exit.badTrace,
        message: "\(path) cannot be compared with: \(BaselineError.schema)")
    }
  }

  private func writeBaseline(_ file: BudgetFile, _ sets: [RunSet]) throws {
    guard let path = baselinePath(file) else {
      throw Failure(
        status: Exit.usage,
        message: "name the baseline: --baseline lull-baseline.json, or baseline = "
          + "\"lull-baseline.json\" under [settings] in \(budget)")
    }
    var result: Baseline
    do { result = try Baseline(sets: sets) } catch {
      throw Failure(status: Exit.usage, message: "no baseline is written: \(error)")
    }
    if access(path, F_OK) == 0 {
      var old = try parseBaseline(path)
      old.merge(result)
      result = old
    }
    try OutputFile.write(Array(result.render().utf8), to: path, overwrite: true)
    Console.notice("baseline written to \(path)")
  }

  private func writeBudget() throws {
    let runs = try recordings.map { try ReportInput($0, scenarios: []).run(analysis) }
    if let mixture = runs.mixture(at: Baseline.everything) {
      throw Failure(
        status: Exit.usage, message: "no budget is written: \(BaselineError.mixture(mixture))")
    }
    guard runs.count >= BudgetTemplate.fewestRuns else {
      throw Failure(
        status: Exit.usage,
        message: "--init needs \(BudgetTemplate.fewestRuns) recordings of the same thing or more, "
          + "to tell stable figures from noisy ones")
    }
    let text = BudgetTemplate.render(runs)
    try OutputFile.write(Array(text.utf8), to: budget, overwrite: force)
    Console.notice("budget written to \(budget)")
  }
}
