import Foundation
import Testing
import TraceModel

/// A program run under `lull record`, its own account of what it did, and the report.
struct Recorded {
  let scratch: Scratch
  let trace: String
  let result: CommandResult
  let truth: JSON
  let report: JSON

  var signals: JSON { report["signals"] }
  var mainThread: JSON { report["signals"]["mainThread"] }
  /// The hangs of the stretches that the program timed itself; a busy machine makes others besides.
  var hangs: [JSON] {
    let all = mainThread["hangs"].items
    let spans = truth["spans"].items
    guard !spans.isEmpty, let origin = (try? Trace.load(path: trace))?.start.nanoseconds else {
      return all
    }
    func seconds(_ time: JSON) -> Double { ((time.double ?? 0) - Double(origin)) / 1e9 }
    return all.filter { hang in
      let start = hang["start"].double ?? 0
      let end = start + (hang["durationSeconds"].double ?? 0)
      return spans.contains { start < seconds($0["endNs"]) && end > seconds($0["startNs"]) }
    }
  }

  /// Records a command and makes its JSON report. `place` are the words that run the recorder somewhere else.
  init(
    _ command: [String], in place: [String] = [], options: [String] = [],
    reportOptions: [String] = [], scratch given: Scratch? = nil
  ) throws {
    scratch = try given ?? Scratch()
    trace = scratch.file("t.perf.data")
    let recorder = options.contains("--recorder") ? [] : Machine.recorder
    let words =
      place + [Machine.lull, "record", "-q", "-o", trace] + recorder + options + ["--"] + command
    result = try Command.run(words)
    truth = try JSON(lastLineOf: result.text)
    report = try Recorded.report(trace, options: reportOptions)
  }

  /// Records one of the run-loop workloads: `"blocker cause=sleep"`.
  init(
    workload: String, in place: [String] = [], options: [String] = [],
    reportOptions: [String] = [], scratch: Scratch? = nil
  ) throws {
    try self.init(
      [Machine.workload] + workload.split(separator: " ").map(String.init), in: place,
      options: options, reportOptions: reportOptions, scratch: scratch)
    try #require(result.status == 0, "\(workload): \(result.errors)")
  }

  /// Attaches to a command that was started before; both run in the place.
  init(
    attachedTo command: [String], in place: [String], options: [String] = [],
    reportOptions: [String] = [], environment: [String: String] = [:],
    scratch given: Scratch? = nil
  ) throws {
    let scratch = try given ?? Scratch()
    self.scratch = scratch
    trace = scratch.file("t.perf.data")
    let script = """
      out=$1 lull=$2 trace=$3 options=$4; shift 4
      "$@" > "$out" & target=$!
      sleep 0.3
      "$lull" record -q --pid $target -o "$trace" $options || exit 9
      wait $target
      """
    let out = scratch.file("out")
    result = try Command.run(
      place
        + [
          "sh", "-c", script, "attach", out, Machine.lull, trace, options.joined(separator: " "),
        ] + command, environment: environment)
    try #require(result.status == 0, "\(result.errors)")
    truth = try JSON(
      lastLineOf: String(decoding: try Data(contentsOf: URL(fileURLWithPath: out)), as: UTF8.self))
    report = try Recorded.report(trace, options: reportOptions)
  }

  /// The JSON report of a trace.
  static func report(_ trace: String, options: [String] = []) throws -> JSON {
    let result = try Command.run(
      [Machine.lull, "report", trace, "--format", "json"] + options)
    try #require(result.status == 0, "lull report: \(result.errors)")
    let report = try JSON(parsing: result.output)
    try #require(report["schema"].string == "lull.report/1")
    return report
  }

  func audit(_ id: String) -> JSON {
    report["audits"].items.first { $0["id"].string == id } ?? JSON(nil)
  }

  /// The rules that this program breaks.
  var failed: Set<String> {
    Set(
      report["audits"].items.filter { $0["status"].string == "fail" }
        .compactMap { $0["id"].string })
  }

  func file(_ path: String) -> JSON {
    signals["disk"]["files"].items.first { $0["path"].string == path } ?? JSON(nil)
  }

  /// The lengths in seconds of the stretches that the workload says it blocked for.
  var trueSpans: [Double] {
    truth["spans"].items.compactMap { span in
      guard let start = span["startNs"].double, let end = span["endNs"].double else { return nil }
      return (end - start) / 1e9
    }
  }

  /// The CPU seconds the workload says each stretch cost it.
  var trueCPU: [Double] { truth["spans"].items.compactMap { $0["cpuNs"].double.map { $0 / 1e9 } } }
}

/// Whether a measured time is within 1 % or 1 ms of the truth.
func isNear(_ measured: Double?, _ truth: Double, slack: Double = 0.001) -> Bool {
  guard let measured else { return false }
  return abs(measured - truth) <= max(slack, truth * 0.01)
}

/// Whether a hang is as long as the stretch that the program itself timed.
///
/// The turn starts before and ends after that stretch; on a busy machine it waits for a CPU there.
func isNear(_ hang: JSON, _ truth: Double) -> Bool {
  guard let length = hang["durationSeconds"].double else { return false }
  let waiting = hang["runnableSeconds"].double ?? 0
  return length > truth - 0.001 && length - truth <= max(0.001, truth * 0.01) + waiting
}

/// Holds a hang against the stretch that the program timed itself, and what it waited for then in its own code.
func expectBlame(
  _ hang: JSON, lasts length: Double, waitsFor cause: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(
    abs((hang["durationSeconds"].double ?? 0) - length) < 0.005, "\(hang) of \(length)",
    sourceLocation: sourceLocation)
  #expect(
    hang["stack"].items.contains { $0["module"].string?.contains("lull-workload") == true },
    "\(hang)", sourceLocation: sourceLocation)
  let causes = hang["blockedByCause"]
  let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
  #expect(
    (causes[cause].double ?? 0) > 0.9 * blocked, "\(hang)", sourceLocation: sourceLocation)
}

/// Tests of recordings that hold times against times, or what another recording would change: one at a time, with the
/// machine to themselves.
@Suite(
  .serialized, .enabled(if: Machine.isRoot, Machine.needsRoot), .timeLimit(.minutes(10)))
enum EndToEnd {}

/// Tests of recordings whose figures are counts, names, words and CPU time, the same whatever else the machine does:
/// one at a time as well, beside tests that record nothing.
@Suite(
  .serialized, .enabled(if: Machine.isRoot, Machine.needsRoot), .timeLimit(.minutes(10)))
enum SideBySide {}
