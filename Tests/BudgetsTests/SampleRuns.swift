import Budgets
import Foundation
import Reporting
import Rules
import Signals
import TestSupport
import TraceModel

/// Runs of an invented program, made from a small trace whose figures are then set by hand.
enum SampleRuns {
  /// The report of a trace with forty switches, ten writes and twelve syncs.
  static let report: Report = {
    do { return try make() } catch { preconditionFailure("no sample report: \(error)") }
  }()

  /// A run to the program's end, in which something was changed.
  static func run(
    _ source: String = "a.perf.data", _ change: (inout Report) throws -> Void = { _ in }
  ) throws -> Run {
    var report = report
    report.process.exitStatus = 0
    try change(&report)
    return try Run(source: source, report: report)
  }

  /// Runs with these numbers of syncs.
  static func syncing(_ counts: [Int]) throws -> [Run] {
    try counts.enumerated().map { index, count in
      try run("run\(index)") { $0.signals.disk?.syncs = count }
    }
  }

  /// The check of a budget's text against runs of no scenario.
  static func check(
    _ text: String, _ runs: [Run], baseline: Baseline? = nil
  ) throws -> CheckResult {
    BudgetChecker(
      file: try BudgetParser.parse(text, path: "lull.toml"),
      sets: [RunSet(scenario: nil, runs: runs)], baseline: baseline
    ).check()
  }

  private static func make() throws -> Report {
    let folder = try TemporaryDirectory()
    defer { folder.remove() }
    let path = folder.path + "/sample.perf.data"
    var trace = TraceBuilder()
    let second: UInt64 = 1_000_000_000
    try trace.capture(time: second, rootPid: 100)
    try trace.process(time: second, pid: 100, executable: "/opt/app/server")
    trace.comm(time: second, pid: 100, tid: 100, name: "server", isExec: true)
    trace.open(time: second * 2, tid: 100, path: "/var/lib/app/log.txt", fd: 5)
    for index in 0..<40 as Range<UInt64> {
      let time = second * 2 + index * 100_000_000
      trace.switchOut(time: time, 100)
      trace.waking(time: time + 50_000_000, by: 0, of: 100, context: .hardInterrupt)
      trace.switchIn(time: time + 50_001_000, 100)
      trace.footprint(time: time + 50_002_000, pid: 100, anonymous: 1_000_000)
    }
    for index in 0..<10 as Range<UInt64> {
      trace.exitSyscall(
        time: second * 3 + index * 1000, tid: 100, number: 1, result: 512,
        arguments: [5, 0, 512])
    }
    trace.exit(time: second * 7, pid: 100, tid: 100)
    try trace.write(to: path)
    let loaded = try Trace.load(path: path, options: TraceOptions())
    let signals = try Measurement.measure(loaded, options: MeasurementOptions())
    var report = ReportBuilder.build(
      trace: loaded, signals: signals, evaluation: Evaluator.evaluate(signals),
      generatorVersion: "0.1.0")
    report.signals.disk?.syncs = 12
    return report
  }
}
