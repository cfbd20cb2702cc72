import Foundation
import Testing

extension SideBySide {
  @Suite struct CommandLineContract {
    private func record(_ command: [String], options: [String] = []) throws -> CommandResult {
      let scratch = try Scratch()
      return try Command.run(
        [Machine.lull, "record", "-q", "-o", scratch.file("t")] + options + ["--"] + command,
        input: "from stdin\n")
    }

    static let statuses: [(command: [String], status: Int32)] = [
      (["true"], 0), (["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -TERM $$"], 143),
      (["no-such-command-here"], 127), (["/etc/passwd"], 126), (["/"], 126),
    ]

    @Test(arguments: statuses)
    func `the exit status is the child's, or a shell's`(command: [String], status: Int32) throws {
      let result = try record(command)
      #expect(result.status == status, "\(result.errors)")
      #expect(result.signal == nil)
    }

    @Test func `the command's input and output are its own`() throws {
      let result = try record(["cat"])
      #expect(result.text == "from stdin\n")
      #expect(result.status == 0)
    }

    @Test func `with --log-format json each line on standard error is one, the report among them`()
      throws
    {
      let folder = try Scratch()
      let result = try Command.run([
        Machine.lull, "record", "--log-format", "json", "-o", folder.file("t"), "--",
        Machine.workload, "blocker", "cause=sleep", "count=1", "ms=120",
      ])
      #expect(result.status == 0)
      let lines = try result.errors.split(separator: "\n").compactMap {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      #expect(
        lines.count >= 3 && lines.allSatisfy { $0["time"] is String && $0["message"] is String })
      let levels = lines.compactMap { $0["level"] as? String }
      #expect(levels.last == "report" && levels.dropLast().allSatisfy { $0 == "notice" })
      #expect((lines.last?["report"] as? [String: Any])?["schema"] as? String == "lull.report/1")
      #expect(
        lines.contains { ($0["message"] as? String)?.hasPrefix("trace written to") == true })
      // What is wrong is said so too, whatever it is.
      for words in [
        ["report", "--log-format=json", "/nonexistent"],
        ["record", "--log-format", "json", "--bad"],
      ] {
        let failed = try Command.run([Machine.lull] + words)
        #expect(failed.status != 0)
        let said = try #require(
          JSONSerialization.jsonObject(with: Data(failed.errors.utf8)) as? [String: Any],
          "\(failed.errors)")
        #expect(said["level"] as? String == "error")
      }
      // The command's own words are no messages of Lull.
      let own = try Command.run([
        Machine.lull, "record", "--no-report", "-o", folder.file("u"), "--", "echo", "--log-format",
        "json",
      ])
      #expect(own.text == "--log-format json\n" && own.errors.hasPrefix("lull: "))
    }

    // Both went through text, whose repair gave the command other words.
    @Test(arguments: ["auto", "process", "outside"])
    func `a command has its words and its environment byte by byte`(recorder: String) throws {
      let scratch = try Scratch()
      let show = #"printf '%s|' "$1" "$2" "$ODD" | od -An -tx1"#
      let start = #"""
        ODD=$(printf '\376='); export ODD
        lull=$1 trace=$2 recorder=$3 show=$4
        exec "$lull" record -q --recorder "$recorder" -o "$trace" -- sh -c "$show" sh "$(printf 'a\377')" ""
        """#
      let result = try Command.run([
        "sh", "-c", start, "sh", Machine.lull, scratch.file("t"), recorder, show,
      ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.text.split(separator: " ").joined(separator: " ").trimmingCharacters(
          in: .whitespacesAndNewlines) == "61 ff 7c 7c fe 3d 7c", "\(result.text)")
    }

    @Test func `an existing trace is not overwritten`() throws {
      let scratch = try Scratch()
      let path = scratch.file("mine")
      try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
      let result = try Command.run([Machine.lull, "record", "-q", "-o", path, "--", "true"])
      #expect(result.status == 125)
      #expect(result.errors.contains(path))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    // It is made of what was read to name functions, before their names were in the trace.
    @Test(arguments: ["process", "perf", "outside"] + (Machine.recordsInKernel ? ["kernel"] : []))
    func `the report of a recording is that of its trace`(recorder: String) throws {
      let scratch = try Scratch()
      let (trace, page) = (scratch.file("t"), scratch.file("page.html"))
      let recorded = try Command.run([
        Machine.lull, "record", "--recorder", recorder, "-o", trace, "--html", page, "--",
        Machine.workload, "blocker", "cause=lock",
      ])
      try #require(recorded.status == 0, "\(recorded.errors)")
      let text = try Command.run([Machine.lull, "report", trace])
      #expect(recorded.errors.contains(text.text) && text.text.contains("Score"))
      let read = try Command.run([Machine.lull, "report", "--format", "html", trace])
      #expect(try read.output == Data(contentsOf: URL(fileURLWithPath: page)))
      #expect(read.output.count > 100_000)
    }

    @Test func `without -q the text report is printed to standard error`() throws {
      let scratch = try Scratch()
      let result = try Command.run(
        [
          Machine.lull, "record", "-o", scratch.file("t"), "--", Machine.workload, "idle",
          "seconds=1",
        ])
      #expect(result.status == 0)
      #expect(result.errors.lowercased().contains("score"))
      #expect(result.text.split(separator: "\n").count == 1, "only the program's own line")
      let lines = result.errors.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
    }

    @Test(arguments: [
      ["record", "-q", "--pid", "4194303"], ["record", "-q", "--pid", "2"],
      ["record", "-q", "--pid", "0"],
    ])
    func `a process that cannot be recorded is a clear error`(words: [String]) throws {
      let scratch = try Scratch()
      let result = try Command.run(
        [Machine.lull] + words + ["--duration", "1s", "-o", scratch.file("t")])
      expectCleanFailure(result, statuses: words.last == "0" ? [64, 125] : [125, 77])
    }

    @Test(arguments: [
      ["record"], ["record", "--pid", "abc"], ["record", "--duration", "nonsense", "--pid", "1"],
      ["report"], ["frobnicate"],
    ])
    func `bad usage is a clear error`(words: [String]) throws {
      expectCleanFailure(try Command.run([Machine.lull] + words), statuses: [64, 125])
    }

    @Test func `a trace that cannot be read is a clear error`() throws {
      let scratch = try Scratch()
      let (empty, text, magic) = (scratch.file("empty"), scratch.file("text"), scratch.file("m"))
      try Data().write(to: URL(fileURLWithPath: empty))
      try Data("hello, this is no trace\n".utf8).write(to: URL(fileURLWithPath: text))
      try Data("PERFILE2".utf8 + [UInt8](repeating: 0xff, count: 200))
        .write(to: URL(fileURLWithPath: magic))
      for path in [scratch.file("missing"), scratch.path, empty, text, magic, "/dev/zero"] {
        let result = try Command.run([Machine.lull, "report", path], limit: 20)
        expectCleanFailure(result, statuses: [65, 66, 74])
        #expect(result.errors.contains(path), "\(path): \(result.errors)")
      }
    }

    @Test(arguments: [
      "check @ --budget BUDGET", "compare @ -- REPORT", "compare REPORT -- @",
      "export @ --format folded", "redact @ -o OUTPUT", "merge @",
    ])
    func `every command refuses what is no trace`(command: String) throws {
      let scratch = try Scratch()
      let run = try Recorded(workload: "idle seconds=0.2", scratch: scratch)
      try Data("[[budget]]\npath = \"score.overall\"\nmin = 1\n".utf8)
        .write(to: URL(fileURLWithPath: scratch.file("BUDGET")))
      let report = try Command.run([Machine.lull, "report", run.trace, "--format", "json"]).output
      try report.write(to: URL(fileURLWithPath: scratch.file("REPORT")))
      let whole = try Data(contentsOf: URL(fileURLWithPath: run.trace))
      try whole.prefix(3000).write(to: URL(fileURLWithPath: scratch.file("cut")))
      try Data().write(to: URL(fileURLWithPath: scratch.file("empty")))
      try Data("hello, this is no trace\n".utf8)
        .write(to: URL(fileURLWithPath: scratch.file("text")))
      try FileManager.default.createDirectory(
        atPath: scratch.file("folder"), withIntermediateDirectories: false)
      for (name, status) in [
        ("missing", 74), ("folder", command.hasPrefix("merge") ? 74 : 65), ("empty", 65),
        ("text", 65), ("cut", 65),
      ] {
        let words = command.split(separator: " ").map { word in
          switch word {
          case "@": scratch.file(name)
          case "BUDGET", "REPORT", "OUTPUT": scratch.file(String(word))
          default: String(word)
          }
        }
        let result = try Command.run([Machine.lull] + words, limit: 20)
        expectCleanFailure(result, statuses: [Int32(status)])
        #expect(result.errors.contains(name), "\(words): \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(access(scratch.file("OUTPUT"), F_OK) != 0, "\(words) left an output behind")
      }
    }

    @Test(arguments: ["mark 4194303 ready", "mark 2 ready", "pressure 4194303", "pressure 2"])
    func `what cannot be marked is a clear error`(command: String) throws {
      let words = command.split(separator: " ").map(String.init)
      let result = try Command.run([Machine.lull] + words, limit: 20)
      expectCleanFailure(result, statuses: [64, 77])
      #expect(result.errors.contains(words[1]), "\(result.errors)")
    }

    @Test func `doctor prints a table of the signals`() throws {
      let result = try Command.run([Machine.lull, "doctor"])
      #expect(result.status == 0)
      for word in ["wakeups", "network", "disk", "memory", "full"] {
        #expect((result.text + result.errors).lowercased().contains(word), "\(word)")
      }
    }

    private func expectCleanFailure(_ result: CommandResult, statuses: [Int32]) {
      #expect(result.signal == nil, "died of a signal: \(result.errors)")
      #expect(statuses.contains(result.status), "\(result.status): \(result.errors)")
      #expect(!result.errors.isEmpty)
      for word in ["Fatal error", "Crash", "💣"] { #expect(!result.errors.contains(word)) }
    }
  }
}
