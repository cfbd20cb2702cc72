import ArgumentParser
import Budgets
import Quantities
import Reporting

/// The forms in which a comparison can be written.
enum ComparisonFormat: String, CaseIterable {
  case text, html, json, markdown
}

/// `lull compare`: two sets of recordings, with statistics.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two sets of recordings, or record two commands in turn.",
    usage: """
      lull compare [options] BASE... -- NEW...
      lull compare --interleave 6 --base 'COMMAND A' --new 'COMMAND B'
      """,
    discussion: """
      Medians are compared. A change counts when it is past what is allowed and is no noise: \
      figures whose runs agree are compared as they are, the others by the Mann-Whitney test with \
      Holm's correction, which takes six runs of each side. Exit status: 0 nothing got worse, \
      2 something did, 3 it could not be told, 64 usage, 65 bad trace, 74 input or output, \
      77 permission.
      """)

  @Argument(help: "Traces or JSON reports of before.")
  var baseRuns: [String] = []

  @Option(
    name: .customLong("with"), parsing: .upToNextOption,
    help: ArgumentHelp("Traces or JSON reports of after; -- says the same.", valueName: "new"))
  var newRuns: [String] = []

  @Option(
    help: ArgumentHelp(
      "Record both commands so many times, in turn; more while it is not clear.", valueName: "n"))
  var interleave: Int?

  @Option(help: ArgumentHelp("The command of before, for the shell.", valueName: "command"))
  var base: String?

  @Option(help: ArgumentHelp("The command of after, for the shell.", valueName: "command"))
  var new: String?

  @Option(
    help: ArgumentHelp("Record each command at most so many times, 6 or more.", valueName: "n"))
  var maxRuns: Int?

  @Option(help: ArgumentHelp("Keep the recordings in this folder.", valueName: "folder"))
  var keep: String?

  @Option(
    help: ArgumentHelp(
      "Compare what the budgets of this file say about changes.", valueName: "path"))
  var budget: String?

  @Option(help: ArgumentHelp("The scenario of the budget file.", valueName: "name"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "The change allowed where no budget is given, in per cent; 5 by default.",
      valueName: "per cent"))
  var tolerance: Double?

  @Flag(help: "Compare recordings of different environments too.")
  var forceBaseline = false

  @Option(
    help: "text, html, json or markdown.", completion: .values(ComparisonFormat.self),
    transform: Self.format)
  var format = ComparisonFormat.text

  @OptionGroup var destination: OutputOptions

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var log: LogOptions

  /// The parser takes one list of files for a command, so the one behind -- gets an option's name.
  static func naming(_ arguments: ArraySlice<String>) -> [String] {
    var named = Array(arguments)
    if named.first == configuration.commandName, let index = named.firstIndex(of: "--") {
      named[index] = "--with"
    }
    return named
  }

  @Sendable static func format(_ name: String) throws -> ComparisonFormat {
    guard let format = ComparisonFormat(rawValue: name) else {
      let known = ComparisonFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no format “\(name)”; this version writes \(known).")
    }
    return format
  }

  func validate() throws {
    if let tolerance, !(0...1000).contains(tolerance) {
      throw ValidationError("--tolerance must be from 0 to 1000 per cent.")
    }
    guard let interleave else {
      if base != nil || new != nil { throw ValidationError("--base and --new need --interleave.") }
      if baseRuns.isEmpty || newRuns.isEmpty {
        throw ValidationError("give recordings of before, then --, then recordings of after.")
      }
      return
    }
    if base == nil || new == nil { throw ValidationError("--interleave needs --base and --new.") }
    if let maxRuns, maxRuns < max(interleave, FigureSamples.fewest) {
      throw ValidationError(
        "--max-runs must be at least --interleave, and \(FigureSamples.fewest): of fewer runs no change can be told "
          + "from noise.")
    }
    if !(1...1000).contains(interleave) {
      throw ValidationError("--interleave must be from 1 to 1000.")
    }
    if !baseRuns.isEmpty || !newRuns.isEmpty {
      throw ValidationError("give recordings or --interleave, not both.")
    }
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    try destination.check()
    var comparer = try comparer()
    comparer.force = forceBaseline
    if format == .html, interleave != nil {
      throw Failure(
        status: Exit.usage,
        message: "--interleave writes no page; keep its recordings with --keep, and compare those")
    }
    let comparison: Comparison
    var sides: (base: [Run], new: [Run]) = ([], [])
    if let interleave, let base, let new {
      Interruption.watch()
      let folder = try WorkFolder(keep)
      defer { folder.finish() }
      comparison = try Interleaving(base: base, new: new, folder: folder, analysis: analysis)
        .compare(
          with: comparer,
          plan: SamplingPlan(
            first: interleave, most: maxRuns ?? 4 * max(interleave, 6),
            significance: comparer.significance))
    } else {
      sides = try Progress.during("reading \(baseRuns.count + newRuns.count) recordings") {
        (
          try baseRuns.map { try ReportInput($0, scenarios: []).run(analysis) },
          try newRuns.map { try ReportInput($0, scenarios: []).run(analysis) }
        )
      }
      comparison = comparer.compare(base: sides.base, new: sides.new)
    }
    try write(comparison, sides.base, sides.new)
    throw ExitCode(Exit.status(of: comparison.verdict))
  }

  private func comparer() throws -> RunComparer {
    guard let budget else { return RunComparer(tolerance: tolerance.map { $0 / 100 }) }
    let comparer = RunComparer(file: try BudgetFileInput.read(budget), scenario: scenario)
    guard !comparer.isEmpty else {
      throw Failure(
        status: Exit.usage,
        message: "\(budget) allows no change of any figure; give a budget `change`")
    }
    return comparer
  }

  private func write(_ comparison: Comparison, _ base: [Run], _ new: [Run]) throws {
    let text =
      switch format {
      case .text:
        ComparisonText.render(
          comparison,
          options: TextOptions(color: destination.isColored))
      case .html:
        try HTMLComparison.render(
          base: Self.middle(base).report, new: Self.middle(new).report,
          statistics: comparison.figures.map(Self.statistic))
      case .json: try ComparisonText.json(comparison)
      case .markdown: ComparisonText.markdown(comparison)
      }
    try destination.write(text)
  }

  /// The run whose score is the median of its side's.
  private static func middle(_ runs: [Run]) throws -> Run {
    let sorted = runs.sorted { ($0.report.score.overall ?? 0) < ($1.report.score.overall ?? 0) }
    guard !sorted.isEmpty else {
      throw Failure(status: Exit.usage, message: "there is no recording to show; give some")
    }
    return sorted[sorted.count / 2]
  }

  private static func statistic(_ figure: ComparedFigure) -> ComparisonStatistic {
    ComparisonStatistic(
      path: figure.path, unit: figure.unit, base: figure.base, new: figure.new,
      change: figure.relativeChange.map { ($0 < 0 ? "−" : "+") + Figures.percent(abs($0)) } ?? "",
      verdict: words(for: figure),
      isWorse: figure.verdict == .worse ? true : figure.verdict == .better ? false : nil)
  }

  private static func words(for figure: ComparedFigure) -> String {
    switch figure.verdict {
    case .worse: "worse"
    case .better: "better"
    case .unchanged: "same"
    case .ambiguous: "within the noise"
    case .tooFewRuns: "too few runs to tell"
    case .incomparable, .notMeasured: figure.reason ?? "not measured"
    }
  }
}
