import Foundation
import Reporting
import TestSupport
import Testing

@testable import Budgets

@Suite struct FleetTests {
  static let syncs = FigurePath(keys: ["signals", "disk", "syncs"])
  static let growth = FigurePath(keys: ["signals", "memory", "growthBytesPerMinute"])
  static let cpu = FigurePath(keys: ["signals", "cpu", "totalSeconds"])

  /// Figures whose percentiles are known: 1 to n syncs, growth from below zero, hundredths of seconds.
  private func reports(_ range: ClosedRange<Int>) throws -> [Run] {
    try range.map { index in
      try SampleRuns.run("r\(index)") {
        $0.signals.disk?.syncs = index
        $0.signals.memory?.growthBytesPerMinute = Double(index - 50) * 1000
        $0.signals.cpu?.totalSeconds = Double(index) / 100
      }
    }
  }

  private func fleet(_ runs: [Run]) -> Fleet {
    var fleet = Fleet()
    for run in runs { fleet.add(run.figures) }
    return fleet
  }

  @Test func `percentiles are those of the reports, to three digits`() throws {
    let fleet = fleet(try reports(1...100))
    #expect(fleet.reports == 100)
    #expect(fleet.percentile(0.5, of: Self.syncs) == 50)
    #expect(fleet.percentile(0.99, of: Self.syncs) == 99)
    #expect(fleet.percentile(1, of: Self.syncs) == 100)
    let median = try #require(fleet.percentile(0.5, of: Self.cpu))
    #expect(abs(median - 0.5) < 0.0005)
    let low = try #require(fleet.percentile(0.1, of: Self.growth))
    #expect(abs(low + 40_000) <= 40)
    let high = try #require(fleet.percentile(0.9, of: Self.growth))
    #expect(abs(high - 40_000) <= 40)
    #expect(fleet.percentile(0.5, of: FigurePath(keys: ["signals", "no"])) == nil)
  }

  @Test func `a fleet of fleets is the fleet of all`() throws {
    let whole = fleet(try reports(1...60))
    var parts = fleet(try reports(1...20))
    parts.add(fleet(try reports(21...60)))
    #expect(parts.reports == whole.reports)
    for share in [0.01, 0.5, 0.9, 1] {
      for path in [Self.syncs, Self.cpu, Self.growth] {
        #expect(parts.percentile(share, of: path) == whole.percentile(share, of: path))
      }
    }
    var read = Fleet()
    try read.add(json: Array(fleet(try reports(1...20)).render().utf8))
    try read.add(json: Array(fleet(try reports(21...60)).render().utf8))
    #expect(read.reports == 60)
    #expect(read.percentile(0.9, of: Self.syncs) == whole.percentile(0.9, of: Self.syncs))
    for share in [0.1, 0.5, 0.99] {
      let (left, right) = (
        read.percentile(share, of: Self.growth), whole.percentile(share, of: Self.growth)
      )
      #expect(abs((left ?? 0) - (right ?? 1)) <= 0.001 * abs(right ?? 0))
    }
  }

  @Test func `what cannot be merged is refused`() {
    var fleet = Fleet()
    #expect(throws: FleetError.self) { try fleet.add(json: Array("{}".utf8)) }
    #expect(throws: (any Error).self) { try fleet.add(json: Array("no".utf8)) }
    let bad = """
      {"schema":"lull.fleet/1","reports":1,"figures":{"a":{"count":1,"sum":1,"mean":1,"min":1,\
      "max":1,"percentiles":{},"unit":"","histogram":{"scale":1,"positive":[[1]],"negative":[]}}}}
      """
    #expect(throws: FleetError.self) { try fleet.add(json: Array(bad.utf8)) }
  }

  @Test func `every row has the same columns, and what was not measured is null`() throws {
    let measured = try SampleRuns.run()
    let missing = try SampleRuns.run {
      $0.signals.disk = nil
      $0.trace.hostname = "a \"b\", c\nd"
    }
    let header = ReportRow.csvHeader.split(separator: ",")
    #expect(Set(header).count == header.count)
    #expect(header.contains("disk_syncs") && header.contains("audits_idle_wakeups_value"))
    for run in [measured, missing] {
      let line = ReportRow.json(run.figures, source: "x")
      let row = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(row.count == header.count)
      #expect(row["schema"] as? String == "lull.row/1")
      #expect(row["wakeups_total"] as? Int == run.report.signals.wakeups?.total)
      #expect(row["disk_syncs"] as? Int == run.report.signals.disk?.syncs)
      #expect(row["trace_hostname"] as? String == run.report.trace.hostname)
    }
    #expect(ReportRow.csv(missing.figures, source: "x").contains("\"a \"\"b\"\", c\\nd\""))
  }

  // A thread, a file or a host called "=HYPERLINK(...)" was a formula in whoever's spreadsheet.
  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+x", "'+x"), ("-rm", "'-rm"), ("@SUM(A1)", "'@SUM(A1)"), ("-5", "-5"),
    ("a=b", "a=b"), ("=\"a\",b", "\"'=\"\"a\"\",b\""), ("\u{1B}[31m", "\\x1B[31m"),
    ("\t=1", "\\t=1"), ("a\r\nb", "a\\r\\nb"), ("c:\\d", "c:\\d"),
  ])
  func `no cell is a formula or acts on a terminal`(text: String, cell: String) throws {
    let run = try SampleRuns.run { $0.trace.hostname = text }
    let row = ReportRow.csv(run.figures, source: text)
    #expect(row.hasPrefix("lull.row/1,\(cell),"), "\(row.prefix(60))")
    #expect(row.dropFirst("lull.row/1,\(cell),".count).contains(cell))
  }

  /// The queries are those of the README.
  @Test(.enabled(if: Python.has("duckdb"), Python.missing("duckdb")))
  func `rows load into DuckDB as they are, and the README's queries work`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lull-rows-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let runs = try reports(1...100)
    let lines = runs.map { ReportRow.json($0.figures, source: $0.source) }.joined()
    let table =
      ReportRow.csvHeader
      + runs.map { ReportRow.csv($0.figures, source: $0.source) }.joined()
    try Data(lines.utf8).write(to: folder.appendingPathComponent("rows.ndjson"))
    try Data(table.utf8).write(to: folder.appendingPathComponent("rows.csv"))
    let queries = try Self.readmeQueries()
    try #require(queries.count >= 2)
    let script = """
      import os, sys, duckdb
      os.chdir(sys.stdin.readline().strip())
      for query in sys.stdin.read().split(";"):
        if query.strip():
          for row in duckdb.sql(query).fetchall(): print(row)
      print(duckdb.sql("select count(*), max(disk_syncs), min(cpu_totalSeconds) from 'rows.csv'").fetchall()[0])
      """
    let output = try Python.output(
      script, input: folder.path + "\n" + queries.joined(separator: ";"))
    #expect(output.contains("(100, 100, 0.01)"), "\(output)")
    #expect(output.contains("0.1.0"), "the first query groups by version: \(output)")
  }

  private static func readmeQueries() throws -> [String] {
    try ReadmeTests.blocks("sql").flatMap { $0.components(separatedBy: ";") }
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
  }
}
