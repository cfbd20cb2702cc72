import Foundation
import Reporting
import TestSupport
import Testing

@testable import Budgets

/// What the built program does; skipped where it is not built.
@Suite(.enabled(if: BuiltLull.path != nil, "lull itself was not built")) final class CommandTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lull-check-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, syncs) in [("a", 4), ("b", 4), ("c", 4), ("x", 9), ("y", 9), ("z", 9)] {
      let run = try SampleRuns.run { $0.signals.disk?.syncs = syncs }
      try write("\(name).json", JSONReport.render(run.report))
    }
    let unmeasured = try SampleRuns.run { $0.signals.disk = nil }
    try write("none.json", JSONReport.render(unmeasured.report))
    try write("lull.toml", "[[budget]]\npath = \"signals.disk.syncs\"\nmax = 5\n")
    try write(
      "endless.toml",
      "[settings]\nbaseline = \"/dev/zero\"\n[[budget]]\npath = \"score.overall\"\nmin = 1\n")
    try write("wrong.toml", "[[budget]]\npath = \"signals.disk.synks\"\nmax = 5\n")
    try write("text", "no trace")
    try write("other.json", "{}")
    let good = try read("a.json")
    try write("cut.json", String(good.prefix(good.count / 2)))
    try write("later.json", good.replacing("lull.report/1", with: "lull.report/2"))
    try write("nan.json", good.replacing("\"syncs\" : 4", with: "\"syncs\" : NaN"))
    try write("word.json", good.replacing("\"syncs\" : 4", with: "\"syncs\" : \"four\""))
    try write("big.json", good.replacing("\"syncs\" : 4", with: "\"syncs\" : 1e400"))
    try write("list.json", "[]")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  static let statuses: [(arguments: [String], status: Int32, says: String)] = [
    (["check", "a.json"], 0, "Budgets: pass"), (["check", "x.json"], 2, "the limit is 5"),
    (["check", "none.json"], 3, "not measured"),
    (["check", "a.json", "--budget", "wrong.toml"], 64, "wrong.toml:2: "),
    (["check", "a.json", "--budget", "missing.toml"], 74, "--init"),
    (["check"], 64, "at least one"), (["check", "text"], 65, "perf.data"),
    (["check", "other.json"], 65, "“schema” is missing"),
    (["check", "cut.json"], 65, "not valid JSON"),
    (["check", "later.json"], 65, "schema lull.report/2"),
    (["check", "nan.json"], 65, "not valid JSON"),
    (["check", "word.json"], 65, "“signals.disk.syncs” is of another kind"),
    (["check", "big.json"], 65, "no report of Lull"), (["check", "list.json"], 65, "perf.data"),
    (["compare", "a.json", "--", "cut.json"], 65, "cut.json is no report"),
    (["check", "a.json", "--baseline", "cut.json"], 65, "cut.json cannot be compared"),
    (["check", "a.json", "--baseline", "later.json"], 65, "later.json cannot be compared"),
    (["check", "a.json", "--baseline", "gone.json"], 74, "gone.json"),
    (["check", "gone.json"], 74, "gone.json"),
    (["check", "--init", "a.json"], 64, "3 recordings"),
    (["check", "a.json", "--scenario", "x"], 0, "pass"),
    (["check", "--run"], 64, "no scenario to record"),
    (["compare", "a.json", "b.json", "c.json", "--", "x.json", "y.json", "z.json"], 2, "WORSE"),
    (
      ["compare", "a.json", "b.json", "c.json", "--", "c.json", "b.json", "a.json"], 0, "no change"
    ),
    (["compare", "a.json", "--", "x.json"], 3, "inconclusive"),
    (["compare", "a.json", "--", "x.json", "--format", "html"], 3, "Lull comparison"),
    (["compare", "a.json"], 64, "after"),
    (["compare", "--interleave", "6"], 64, "--base and --new"),
    (
      ["compare", "--interleave", "2", "--max-runs", "2", "--base", "true", "--new", "true"], 64,
      "at least --interleave, and 6"
    ),
    (["compare", "a.json", "--", "b.json", "--format", "poem"], 64, "text, html, json, markdown"),
    (["merge", "a.json", "x.json"], 0, "2 reports"), (["merge", "text"], 65, "perf.data"),
    (["merge", "other.json"], 65, "cannot be merged"),
    (["merge", "other.json", "--format", "csv"], 65, "gives no row"),
    (["check", "a.json", "--budget", "/dev/zero"], 74, "/dev/zero holds more than 256 MiB"),
    (["check", "a.json", "--baseline", "/dev/zero"], 74, "/dev/zero holds more than 256 MiB"),
    (["check", "a.json", "--budget", "endless.toml"], 74, "/dev/zero holds more than 256 MiB"),
    (["compare", "/dev/zero", "--", "a.json"], 65, "/dev/zero"),
    (["merge", "/dev/zero", "a.json"], 65, "/dev/zero"),
  ]

  @Test(arguments: statuses)
  func `the exit status is as the help has it`(
    arguments: [String], status: Int32, says: String
  ) throws {
    let result = try BuiltLull.run(arguments, in: folder)
    #expect(!result.died)
    #expect(result.status == status, "\(result.output)\(result.errors)")
    let said = (result.output + result.errors).replacing("\n", with: " ")
    #expect(said.contains(says), "\(said)")
  }

  @Test func `what shells complete of an option are its values`() throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try BuiltLull.run(["--generate-completion-script", shell], in: folder).output
      // As the help has them there are commas between.
      for values in [
        ["text", "html", "json", "markdown"], ["json", "ndjson", "csv"],
        ["cpu", "offcpu", "wakeups"],
        ["kernel", "process"], ["system", "process"],
      ] {
        let pattern = values.joined(separator: "[^,]{1,8}")
        #expect(
          script.range(of: pattern, options: .regularExpression) != nil, "\(shell): \(values)")
      }
    }
  }

  // It was called by the file in which it is kept, /proc/self/fd/3.
  @Test(arguments: [["report", "-"], ["export", "-"]])
  func `an error calls standard input by its name`(arguments: [String]) throws {
    let result = try BuiltLull.run(
      arguments, in: folder, by: ["sh", "-c", "cat text | \"$0\" \"$@\""])
    #expect(result.status == 65, "\(result.errors)")
    #expect(result.errors.contains("standard input") && !result.errors.contains("/proc/"))
  }

  @Test func `an error calls another descriptor's file as it was given`() throws {
    let result = try BuiltLull.run(
      ["report", "/proc/self/fd/7"], in: folder, by: ["sh", "-c", "\"$0\" \"$@\" 7<text"])
    #expect(result.status == 65 && result.errors.contains("/proc/self/fd/7"), "\(result.errors)")
  }

  // “x”, 'x' and "x" were all in use.
  @Test(arguments: [
    ["report", "x", "--format", "poem"], ["merge", "x", "--format", "poem"],
    ["export", "x", "--what", "poem"], ["record", "--scope", "poem", "--", "true"],
    ["record", "--duration", "poem", "--", "true"], ["rules", "show", "poem"], ["poem"],
  ])
  func `an error quotes names one way`(arguments: [String]) throws {
    let errors = try BuiltLull.run(arguments, in: folder).errors
    // The argument parser's own line before it has quotes of its own.
    #expect(errors.contains("“poem”"), "\(errors)")
  }

  @Test func `a comparison takes no file's place unless it may`() throws {
    try write("kept", "mine")
    let arguments = ["compare", "a.json", "b.json", "c.json", "-o", "kept"]
    let new = ["--", "a.json", "b.json", "c.json"]
    let refused = try BuiltLull.run(arguments + new, in: folder)
    #expect(refused.status == 74 && refused.errors.contains("--force"), "\(refused.errors)")
    #expect(try read("kept") == "mine")
    let replaced = try BuiltLull.run(arguments + ["--force"] + new, in: folder)
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect(try read("kept").contains("Comparison"))
    // What cannot be written is said before anything is recorded.
    let early = try BuiltLull.run(
      ["compare", "--interleave", "6", "--base", "touch ran", "--new", "touch ran", "-o", "kept"],
      in: folder)
    #expect(early.status == 74, "\(early.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("ran").path))
  }

  @Test func `a first budget and a baseline are written, and hold what they came from`() throws {
    let first = try BuiltLull.run(
      ["check", "--init", "--budget", "first.toml", "a.json", "b.json", "c.json"], in: folder)
    #expect(first.status == 0, "\(first.errors)")
    let again = try BuiltLull.run(["check", "--budget", "first.toml", "a.json"], in: folder)
    #expect(again.status == 0, "\(again.output)")
    let refused = try BuiltLull.run(
      ["check", "--init", "--budget", "first.toml", "a.json", "b.json", "c.json"], in: folder)
    #expect(refused.status == 74 && refused.errors.contains("--force"))

    try write(
      "change.toml",
      "[settings]\nbaseline = \"base.json\"\n[[budget]]\npath = \"signals.disk.syncs\"\n"
        + "change = { relative = 0.1 }\n")
    let none = try BuiltLull.run(["check", "--budget", "change.toml", "a.json"], in: folder)
    #expect(none.status == 3 && none.output.contains("--update-baseline"))
    let update = [
      "check", "--budget", "change.toml", "--update-baseline", "a.json", "b.json", "c.json",
    ]
    #expect(try BuiltLull.run(update, in: folder).status == 0)
    let base = try read("base.json")
    #expect(try BuiltLull.run(update, in: folder).status == 0)
    #expect(try read("base.json") == base)
    let same = try BuiltLull.run(["check", "--budget", "change.toml", "a.json"], in: folder)
    #expect(same.status == 0, "\(same.output)")
    let worse = try BuiltLull.run(["check", "--budget", "change.toml", "x.json"], in: folder)
    #expect(worse.status == 2, "\(worse.output)")
  }

  @Test func `reports with keys missing that came later are read, as baselines without most keys`()
    throws
  {
    var report = try #require(
      try JSONSerialization.jsonObject(with: Data(read("a.json").utf8)) as? [String: Any])
    for key in ["blame", "phases", "marks", "intervals", "overview"] { report[key] = nil }
    try write("older.json", json(report))
    #expect(try BuiltLull.run(["check", "older.json"], in: folder).status == 0)
    for key in ["audits", "opportunities", "processes", "score"] { report[key] = nil }
    try write("part.json", json(report))
    try write(
      "change.toml",
      "[[budget]]\npath = \"signals.disk.syncs\"\nchange = { relative = 0.1 }\n")
    for base in ["older.json", "part.json"] {
      let worse = try BuiltLull.run(
        ["check", "--budget", "change.toml", "--baseline", base, "x.json", "y.json", "z.json"],
        in: folder)
      #expect(worse.status == 2, "\(worse.output)\(worse.errors)")
    }
  }

  private func json(_ object: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
  }

  @Test func `all outputs are written at once, and GitHub's summary is added to`() throws {
    try write("summary.md", "before\n")
    let result = try BuiltLull.run(
      [
        "check", "x.json", "--junit", "o.xml", "--sarif", "o.sarif", "--markdown", "o.md",
        "--gitlab", "o.gl.json", "--openmetrics", "o.om", "--json", "o.json", "--github",
      ], in: folder,
      environment: [
        "GITHUB_STEP_SUMMARY": folder.appendingPathComponent("summary.md").path,
        "GITHUB_WORKSPACE": "", "CI_PROJECT_DIR": "",
      ])
    #expect(result.status == 2, "\(result.errors)")
    #expect(
      result.output.contains("::error file=lull.toml,line=1,title=Lull%3A signals.disk.syncs"))
    let summary = try read("summary.md")
    #expect(summary.hasPrefix("before\n### Lull"))
    let begins = [
      "o.xml": "<?xml", "o.sarif": "{", "o.md": "### Lull", "o.gl.json": "[", "o.om": "# TYPE",
      "o.json": "{",
    ]
    for (name, begin) in begins { #expect(try read(name).hasPrefix(begin), "\(name)") }
  }

  @Test func `rows are written for databases, a folder standing for its reports`() throws {
    let result = try BuiltLull.run(["merge", "a.json", "x.json", "--format", "ndjson"], in: folder)
    #expect(result.output.split(separator: "\n").count == 2)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("many"), withIntermediateDirectories: true)
    try write("many/1.json", read("a.json"))
    try write("many/2.json", read("x.json"))
    let table = try BuiltLull.run(["merge", "many", "--format", "csv"], in: folder)
    #expect(table.output.split(whereSeparator: \.isNewline).count == 3)
  }

  @Test func `a folder that may not be listed is said to be one`() throws {
    let many = folder.appendingPathComponent("many").path
    #expect(mkdir(many, 0o300) == 0)
    let result = try BuiltLull.run(["merge", "many"], in: folder, by: BuiltLull.withoutOverride)
    chmod(many, 0o700)
    #expect(result.status == 77, "\(result.errors)")
    #expect(result.errors.contains("cannot list many: Permission denied; ask its owner, or"))
  }
}
