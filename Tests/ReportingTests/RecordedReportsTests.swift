import Foundation
import PerfData
import TestSupport
import Testing

/// Real recordings, kept, and the reports that were made of them: what changes a report shows in the diff.
///
/// After a change that is meant to change them: `LULL_WRITE_REPORTS=1 swift test --filter RecordedReports`.
@Suite(.enabled(if: BuiltLull.path != nil, "lull was not built beside the tests"))
struct RecordedReportsTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let writes = ProcessInfo.processInfo.environment["LULL_WRITE_REPORTS"] != nil

  static let traces: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: root.path + "/Traces")) ?? [])
    .filter { $0.hasSuffix(".perf.data") }.sorted()

  @Test(arguments: traces, ["json", "text"])
  func `a recording's report is the one that is kept`(trace: String, format: String) throws {
    let result = try BuiltLull.run(
      ["report", "Traces/\(trace)", "--format", format], in: Self.root)
    try #require(result.status == 0, "\(result.errors)")
    let name = trace.replacing(".perf.data", with: format == "json" ? ".json" : ".txt")
    let kept = Self.root.appendingPathComponent("Reports/\(name)")
    if Self.writes { return try Data(result.output.utf8).write(to: kept) }
    let expected = try String(contentsOf: kept, encoding: .utf8)
    if result.output == expected { return }
    let lines = zip(result.output.split(separator: "\n"), expected.split(separator: "\n"))
    let difference = lines.first { $0 != $1 }.map { "\($0)\nis kept as\n\($1)" } ?? "lengths"
    Issue.record(
      """
      \(name): \(difference)
      If that is meant: LULL_WRITE_REPORTS=1 swift test --filter RecordedReports
      """)
  }

  /// Those that are files of their own, whole, and not compressed yet.
  static let compressible = traces.filter {
    !["perf-pipe", "perf-series", "perf-threads", "perf-zstd", "poller-cut"].contains(
      $0.replacing(".perf.data", with: ""))
  }

  @Test(arguments: compressible)
  func `a report says the same of a trace that was compressed since`(trace: String) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/" + trace
    try FileManager.default.copyItem(
      atPath: Self.root.appendingPathComponent("Traces/\(trace)").path, toPath: path)
    func report() throws -> String {
      let result = try BuiltLull.run(["report", path, "--format", "json"], in: Self.root)
      try #require(result.status == 0, "\(result.errors)")
      return result.output
    }
    let before = try report()
    try TraceCompression.compress(traceAt: path)
    #expect(try PerfDataFile(path: path).problems.isEmpty)
    let after = try report()
    #expect(after == before)
  }

  @Test(arguments: [
    ("perf-file.script.txt", "not known: the text of perf script does not tell"),
    ("poller-cut.perf.data", "not known of the part that is missing"),
    ("perf-fp.perf.data", "nothing was lost"),
  ])
  func `that nothing was lost is said where the trace would say otherwise`(
    trace: String, losses: String
  ) throws {
    let result = try BuiltLull.run(["report", "Traces/\(trace)"], in: Self.root)
    #expect(result.output.contains("losses       \(losses)\n"), "\(result.output)")
  }

  @Test func `recordings are small, and each is described`() throws {
    let descriptions = try String(
      contentsOf: Self.root.appendingPathComponent("Traces/README.md"), encoding: .utf8)
    try #require(!Self.traces.isEmpty)
    for trace in Self.traces {
      let path = Self.root.appendingPathComponent("Traces/\(trace)").path
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      #expect((size ?? 0) < 300_000, "\(trace)")
      #expect(descriptions.contains("`\(trace)`"), "\(trace) has no row in Traces/README.md")
    }
  }
}
