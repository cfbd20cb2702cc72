import Budgets
import Glibc

/// Records the scenarios of a budget file, each as often as it says.
struct ScenarioRecorder {
  /// The budget file: what a scenario names is relative to its folder.
  let budget: String
  let folder: WorkFolder
  let analysis: AnalysisOptions

  /// The runs of one scenario.
  func record(_ scenario: Scenario) throws -> RunSet {
    var runs: [Run] = []
    for round in 1...scenario.runs {
      let trace = folder.file("\(scenario.name)-\(round)")
      let count = scenario.runs == 1 ? "" : " (\(round) of \(scenario.runs))"
      Console.notice("recording \(scenario.name)\(count)")
      if scenario.warmUpSeconds != nil {
        try attach(to: scenario, trace)
      } else {
        try wrap(scenario, trace)
      }
      runs.append(try Run(source: trace, report: analysis.report(on: trace)))
    }
    return RunSet(scenario: scenario.name, runs: runs)
  }

  /// Records the command from its start, with its load beside it.
  private func wrap(_ scenario: Scenario, _ trace: String) throws {
    let words = recorder(trace, scenario) + ["--"] + scenario.command
    let printed = try PrintedText()
    defer { printed.keep(besides: trace) }
    let recording = try start(words, scenario, printed: printed)
    let load = try startLoad(of: scenario, trace)
    let status = recording.wait()
    load?.stop()
    try Interruption.check(Self.unfinished(scenario))
    // A command that is ended after its time has no say in its status.
    guard status == 0 || (scenario.durationSeconds != nil && status != Exit.recordFailed) else {
      throw failure(scenario, "ended with status \(status)", printed.lastLine, status)
    }
  }

  /// Lets the command warm up under its load, then records it for a while.
  private func attach(to scenario: Scenario, _ trace: String) throws {
    let printed = try PrintedText()
    defer { printed.keep(besides: trace) }
    let command = try start(scenario.command, scenario, printed: printed)
    defer { command.stop() }
    let pause = scenario.warmUpSeconds ?? 0
    // The load comes when half of the time has passed: a server must listen first.
    wait(pause / 2)
    try Interruption.check(Self.unfinished(scenario))
    let load = try startLoad(of: scenario, trace)
    defer { load?.stop() }
    wait(pause / 2)
    try Interruption.check(Self.unfinished(scenario))
    guard command.isRunning else {
      throw failure(scenario, "ended while it warmed up", printed.lastLine, 0)
    }
    let words = recorder(trace, scenario) + ["--pid", "\(command.pid)"]
    let status = try Subprogram(words, log: trace + ".record.log").wait()
    try Interruption.check(Self.unfinished(scenario))
    guard status == 0 else {
      let said = (try? TextFile.read(trace + ".record.log"))?.split(separator: "\n").last
      throw failure(scenario, "could not be recorded", said.map(String.init), status)
    }
  }

  private func recorder(_ trace: String, _ scenario: Scenario) -> [String] {
    let duration = scenario.durationSeconds.map { ["--duration", "\($0)"] } ?? []
    return [Subprogram.own, "record", "-q", "-o", trace] + duration
  }

  private func startLoad(of scenario: Scenario, _ trace: String) throws -> Subprogram? {
    guard !scenario.load.isEmpty else { return nil }
    return try start(scenario.load, scenario, log: trace + ".load.log")
  }

  private func start(
    _ words: [String], _ scenario: Scenario, log: String? = nil, printed: PrintedText? = nil
  ) throws -> Subprogram {
    try Subprogram(
      words, directory: directory(of: scenario), environment: scenario.environment, log: log,
      printed: printed)
  }

  private func directory(of scenario: Scenario) -> String? {
    let own = budget.lastIndex(of: "/").map { String(budget[..<$0]) } ?? "."
    guard let directory = scenario.directory else { return own.isEmpty ? "/" : own }
    return directory.hasPrefix("/") ? directory : "\(own)/\(directory)"
  }

  private static func unfinished(_ scenario: Scenario) -> String {
    "while recording scenario \(scenario.name): nothing is checked"
  }

  /// Returns early when a signal comes.
  private func wait(_ seconds: Double) { usleep(UInt32(min(seconds, 4000) * 1e6)) }

  private func failure(
    _ scenario: Scenario, _ what: String, _ lastLine: String?, _ status: Int32
  ) -> Failure {
    Failure(
      status: status == Exit.recordFailed ? Exit.permission : Exit.inconclusive,
      message: "scenario \(scenario.name) \(what)\(lastLine.map { ": \($0)" } ?? "")")
  }
}
