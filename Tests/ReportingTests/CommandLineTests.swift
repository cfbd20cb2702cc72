import Foundation
import PerfData
import TestSupport
import Testing

/// What the built program does with what it is given; skipped where it is not built.
@Suite(.enabled(if: BuiltLull.path != nil)) final class CommandLineTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lull-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func file(_ name: String, _ text: String? = nil) throws -> String {
    let path = folder.appendingPathComponent(name).path
    if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
    return path
  }

  /// A small trace of a process that was scheduled and wrote.
  private func trace(_ name: String = "small.perf.data") throws -> String {
    var builder = TraceBuilder()
    try builder.capture(time: 1_000_000_000, rootPid: 100)
    try builder.process(time: 1_000_000_000, pid: 100, executable: "/usr/bin/app")
    builder.comm(time: 1_000_000_000, pid: 100, tid: 100, name: "app", isExec: true)
    builder.switchOut(time: 1_500_000_000, 100)
    builder.switchIn(time: 2_000_000_000, 100)
    builder.exit(time: 2_500_000_000, pid: 100, tid: 100)
    let path = try file(name)
    try builder.write(to: path)
    return path
  }

  static let refused: [(arguments: [String], status: Int32, says: String)] = [
    (["report", "missing"], 74, "check the path"),
    (["report", "."], 65, "regular file"),
    (["report", "empty"], 65, "lull:"),
    (["report", "text"], 65, "not a perf.data file"),
    (["report", "torn"], 65, "lull:"),
    (["check", "--init", "/bin/true"], 65, "record it with `lull record"),
    // As files are where the file system knows of no rights.
    (["report", "runnable"], 65, "give a trace that"),
    (["report"], 64, "Usage"),
    (["report", "text", "--format", "pdf"], 64, "text, html, json and markdown"),
    (["report", "text", "--radio", "no-such"], 64, "no-such"),
    (["report", "--bogus"], 64, "Usage"),
    (["bogus"], 64, "Usage"), (["recrod"], 64, "did you mean “record”"),
    (["rules", "show", "bogus"], 64, "lull rules"),
    (["redact", "text", "-o", "out"], 65, "not a perf.data file"),
    (["redact", "missing"], 64, "output"),
    (["redact", "text", "-o", "-"], 64, "name a file"),
    (["record"], 125, "give a command"),
    (["record", "--pid", "0"], 125, "above zero"), (["top", "0"], 64, "lull top"),
    (["record", "--pid", "1", "--", "true"], 125, "not both"),
    (["record", "--duration", "fast", "--", "true"], 125, "30s"),
    (["record", "--duration", "0s", "--", "true"], 125, "more than zero"),
    (["record", "--interval", "1us", "--", "true"], 125, "1ms"),
    (["record", "true"], 125, "after --"), (["record", "--bogus", "--", "true"], 125, "bogus"),
    (["record", "--scope", "galaxy", "--", "true"], 125, "system or process"),
    (["record", "--radio", "no-such", "--", "true"], 125, "no-such"),
    (["record", "-o", "text", "--", "true"], 125, "already exists"),
    // Root would have put a file in the place of the device.
    (["record", "--force", "-o", "/dev/null", "--", "true"], 125, "is a device"),
    (["redact", "text", "--force", "-o", "/dev/full"], 74, "is a device"),
    (["record", "--pid", "4194303"], 125, "4194303"),
  ]

  @Test(arguments: refused)
  func `bad input is a clear error with the right status`(
    arguments: [String], status: Int32, says: String
  ) throws {
    _ = try file("empty", "")
    _ = try file("text", "this is no trace\n")
    _ = try file("torn", "PERFILE2\u{1}\u{2}\u{3}")
    chmod(try file("runnable", "this is no trace\n"), 0o777)
    let result = try BuiltLull.run(arguments, in: folder)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    #expect(!result.died, "\(arguments): \(result.errors)")
    #expect(result.errors.contains(says), "\(arguments): \(result.errors)")
    #expect(result.output.isEmpty)
  }

  // top printed how lull itself is used, and record a line about its option and how it is used.
  @Test(arguments: [["top"], ["top", "--pid"], ["record", "--pid"]])
  func `that no process has a name is all that is said of it`(words: [String]) throws {
    let result = try BuiltLull.run(words + ["nosuchprogram"], in: folder)
    #expect(result.status == (words[0] == "record" ? 125 : 64))
    #expect(
      result.errors.hasPrefix("lull: no process is called “nosuchprogram”: "), "\(result.errors)")
    #expect(!result.errors.contains("sage:"), "\(result.errors)")
  }

  // 250 were taken for seconds, and 5 for bytes.
  @Test(arguments: [
    ("hang > 250", "ms"), ("hang>0.25", "ms"), ("footprint > 5", "MiB"), ("footprint >500", "MiB"),
  ])
  func `a flight's condition has a unit`(condition: String, unit: String) throws {
    let result = try BuiltLull.run(
      ["record", "--flight", "30s", "--on", condition, "--", "touch", "ran"], in: folder)
    #expect(result.status == 64 || result.status == 125, "\(result.errors)")
    #expect(
      result.errors.contains("has no unit; give one of ") && result.errors.contains(unit),
      "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: try file("ran")))
  }

  // It recorded, and failed when there was something to write.
  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a flight's folder that cannot be written into is told before anything runs`() throws {
    let lull = try #require(BuiltLull.path)
    let locked = try file("locked")
    try #require(mkdir(locked, 0o755) == 0)
    try #require(chmod(folder.path, 0o777) == 0)
    let arguments = [
      "record", "-q", "--flight", "30s", "--on", "SIGUSR1", "-o", locked, "--", "touch", "ran",
    ]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments =
      ["--reuid", "65534", "--regid", "65534", "--clear-groups", lull] + arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus != 0)
    #expect(said.contains("cannot write into \(locked): Permission denied"), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: try file("ran")))
  }

  @Test(arguments: ["report", "export", "redact", "compare"])
  func `a trace that is not there is an error without a usage`(command: String) throws {
    let rest = ["redact": ["-o", "out"], "compare": ["--", "missing"]][command] ?? []
    let result = try BuiltLull.run([command, "missing"] + rest, in: folder)
    #expect(result.status != 0 && result.errors.contains("missing"), "\(result.errors)")
    #expect(!result.errors.contains("sage:"), "\(result.errors)")
  }

  @Test func `names in errors cannot act on the terminal`() throws {
    let result = try BuiltLull.run(["report", "a\u{1B}[31m\u{202E}b"], in: folder)
    #expect(result.status == 74)
    #expect(!result.errors.contains("\u{1B}") && !result.errors.contains("\u{202E}"))
  }

  @Test(arguments: ["text", "html", "json", "markdown"])
  func `a report is written to standard output or a new file`(format: String) throws {
    let trace = try trace()
    let shown = try BuiltLull.run(["report", trace, "--format", format], in: folder)
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.contains("app"))
    let arguments = ["report", trace, "--format", format, "-o", "out"]
    #expect(try BuiltLull.run(arguments, in: folder).status == 0)
    let written = try String(contentsOfFile: file("out"), encoding: .utf8)
    #expect(written == shown.output)
    let again = try BuiltLull.run(arguments, in: folder)
    #expect(again.status == 74)
    #expect(again.errors.contains("--force"))
    #expect(try BuiltLull.run(arguments + ["--force"], in: folder).status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  // In a folder for everybody, who puts a pipe in the way read the report, or held its maker up for ever.
  @Test(.enabled(if: geteuid() == 0, "only root can put another user's pipe there"))
  func `another user's pipe as the output is a file in the way`() throws {
    let trace = try trace()
    let pipe = try file("page.html")
    try #require(mkfifo(pipe, 0o666) == 0 && chown(pipe, 65534, 65534) == 0)
    let arguments = ["report", trace, "--format", "json", "-o", "page.html"]
    let refused = try BuiltLull.run(arguments, in: folder)
    #expect(refused.status == 74 && refused.errors.contains("--force"), "\(refused.errors)")
    let replaced = try BuiltLull.run(arguments + ["--force"], in: folder)
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect(try String(contentsOfFile: pipe, encoding: .utf8).hasPrefix("{"))
  }

  @Test func `a pipe that nobody reads is an error and no wait`() throws {
    let trace = try trace()
    try #require(mkfifo(try file("pipe"), 0o600) == 0)
    let result = try BuiltLull.run(["report", trace, "-o", "pipe"], in: folder)
    #expect(result.status == 74 && result.errors.contains("start what reads the pipe"))
    let read = try BuiltLull.run(["report", trace, "-o", "/dev/null"], in: folder)
    #expect(read.status == 0 && read.output.isEmpty, "\(read.errors)")
  }

  @Test func `what reports are merged to may be standard output`() throws {
    let trace = try trace()
    #expect(
      try BuiltLull.run(["report", trace, "--format", "json", "-o", "r.json"], in: folder).status
        == 0)
    let rows = try BuiltLull.run(["merge", "r.json", "--format", "csv", "-o", "-"], in: folder)
    #expect(rows.status == 0 && rows.output.hasPrefix("schema,source,"), "\(rows.errors)")
    #expect(!FileManager.default.fileExists(atPath: try file("-")))
  }

  @Test func `a reader that goes away is no error`() throws {
    let trace = try trace()
    let shell = "'\(BuiltLull.path ?? "")' report '\(trace)'; echo status $? >&2"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "{ \(shell); } | :"]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == "status 0\n")
  }

  @Test func `a redacted trace gives the same report but for the names`() throws {
    let path = try file("private.perf.data")
    try PrivateTrace.write(to: path)
    let copied = try BuiltLull.run(["redact", path, "-o", "copy"], in: folder)
    #expect(copied.status == 0, "\(copied.errors)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file("copy")))
    for secret in PrivateTrace.secrets {
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) is still there")
    }
    var reports: [String] = []
    for name in [path, "copy"] {
      let result = try BuiltLull.run(["report", name, "--format", "json"], in: folder)
      #expect(result.status == 0, "\(result.errors)")
      reports.append(result.output)
    }
    let figures = reports.map { $0.matches(of: /: (-?[0-9][0-9.e+-]*)/).map { $0.output.1 } }
    #expect(figures[0] == figures[1])
    #expect(figures[0].count > 50)
    #expect(reports[1].contains(/"\/home\/user2\/data\/n[0-9]*\.txt"/))
    #expect(reports[1].contains("192.0.2.1:443"))

    // Once more gives the same bytes, and redacting the copy changes nothing.
    #expect(try BuiltLull.run(["redact", path, "-o", "second"], in: folder).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file("second"))) == bytes)
    #expect(try BuiltLull.run(["redact", "copy", "-o", "third"], in: folder).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file("third"))) == bytes)
    #expect(try BuiltLull.run(["redact", path, "-o", "copy"], in: folder).status == 74)
  }

  @Test func `a redacted copy of a truncated trace is truncated and has the same figures`() throws {
    let whole = try file("whole.perf.data")
    try PrivateTrace.write(to: whole)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
    let path = try file("torn.perf.data")
    try bytes.prefix(bytes.count * 3 / 4).write(to: URL(fileURLWithPath: path))
    #expect(try BuiltLull.run(["redact", path, "-o", "copy"], in: folder).status == 0)
    let reports = try [path, "copy"].map {
      try BuiltLull.run(["report", $0, "--format", "json"], in: folder).output
    }
    let figures = reports.map { $0.matches(of: /: (-?[0-9][0-9.e+-]*)/).map { $0.output.1 } }
    #expect(figures[0] == figures[1])
    for report in reports { #expect(report.contains("\"truncated\" : true")) }
  }

  @Test func `rules, doctor, help and version answer`() throws {
    #expect(try BuiltLull.run(["rules"], in: folder).output.contains("main-thread-hangs"))
    #expect(try BuiltLull.run(["rules", "show", "idle-wakeups"], in: folder).status == 0)
    #expect(try BuiltLull.run(["--version"], in: folder).output.hasSuffix("\n"))
    #expect(try BuiltLull.run(["record", "--help"], in: folder).status == 0)
    let doctor = try BuiltLull.run(["doctor", "--json"], in: folder)
    #expect(doctor.status == 0)
    _ = try JSONSerialization.jsonObject(with: Data(doctor.output.utf8))
  }

  @Test func `what a missing library leaves out is said, with what to install`() throws {
    let libraries = folder.appendingPathComponent("libraries")
    try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
    for name in ["libdw.so.1", "libzstd.so.1"] {
      try Data("no library".utf8).write(to: libraries.appendingPathComponent(name))
    }
    func run(_ arguments: [String]) throws -> BuiltLull.Result {
      try BuiltLull.run(arguments, in: folder, environment: ["LD_LIBRARY_PATH": libraries.path])
    }
    let traces = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Traces").standardized
    for name in ["perf-zstd.perf.data", "sh.trace.dat"] {
      let result = try run(["report", traces.appendingPathComponent(name).path])
      #expect(result.status == 65, "\(result.errors)")
      #expect(result.errors.contains("libzstd1 has to be installed"), "\(result.errors)")
    }
    let doctor = try run(["doctor"])
    #expect(doctor.output.contains("libdw is not installed"), "\(doctor.output)")
    // Nothing of this one is compressed, nor are names looked up.
    #expect(try run(["report", try trace()]).status == 0)
  }

  // The man pages give each name of a switch the text of both: `--no-children` had that of `--children`.
  @Test(arguments: ["record", "report", "check", "compare", "export", "redact", "top", "doctor"])
  func `the text of a switch that can be turned off says what each of its names does`(
    command: String
  ) throws {
    let help = try BuiltLull.run([command, "--experimental-dump-help"], in: folder)
    #expect(help.status == 0)
    let dump = try #require(
      JSONSerialization.jsonObject(with: Data(help.output.utf8)) as? [String: Any])
    let tool = try #require(dump["command"] as? [String: Any])
    let arguments = tool["arguments"] as? [[String: Any]] ?? []
    #expect(!arguments.isEmpty)
    for argument in arguments {
      let names = (argument["names"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
      guard names.contains(where: { $0.hasPrefix("no-") }), names.count > 1 else { continue }
      let text = argument["abstract"] as? String ?? ""
      for name in names { #expect(text.contains("--\(name)"), "\(name): \(text)") }
    }
  }
}
