import Foundation
import Testing

extension EndToEnd {
  /// Traces that go through pipes, names in the place of ids, and files that are in the way.
  @Suite struct Conveniences {
    @Test(.enabled(if: Machine.hasPerf, Machine.needsPerf))
    func `a trace to standard output is one that perf and Lull read from a pipe`() throws {
      let scratch = try Scratch()
      let (pipe, file) = (scratch.file("pipe"), scratch.file("file"))
      let result = try Command.run([
        "sh", "-c",
        "\"$0\" record -q -o - -- \"$1\" appender writes=20 gap=1 > \"$2\""
          + " && cat \"$2\" | \"$0\" report - --format json > \"$3\"",
        Machine.lull, Machine.workload, pipe, file,
      ])
      #expect(result.status == 0, "\(result.errors)")
      // What the program itself prints is not in the trace.
      #expect(result.errors.contains("\"writes\""))
      let report = try JSON(parsing: Data(contentsOf: URL(fileURLWithPath: file)))
      #expect(report["process"]["name"].string == "lull-workload")
      #expect(report["signals"]["disk"]["writes"].int == 20)
      let perf = try Command.run([
        "sh", "-c", "perf script -i - < \"$0\" | grep -c lull-workload", pipe,
      ])
      #expect((Int(perf.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 20)
    }

    @Test func `an export with -o - goes to standard output, and leaves no file of that name`()
      throws
    {
      let scratch = try Scratch()
      let run = try Recorded(workload: "appender writes=5 gap=1", scratch: scratch)
      let result = try Command.run([
        "sh", "-c",
        "cd \"$1\" && \"$0\" export \"$2\" --format csv --table files -o - && \"$0\" report \"$2\" -o -; ls",
        Machine.lull,
        scratch.path, run.trace,
      ])
      #expect(result.text.contains("Score "))
      #expect(!FileManager.default.fileExists(atPath: scratch.file("-")))
    }

    @Test func `a process is found by its program's name`() throws {
      let scratch = try Scratch()
      // A name that no other process has.
      let program = scratch.file("lull-by-name")
      try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
      let sleeper = try Command([program, "60"])
      defer { kill(sleeper.pid, SIGKILL) }
      usleep(200_000)
      let trace = scratch.file("t")
      let result = try Command.run([
        Machine.lull, "record", "-q", "--pid", "lull-by-name", "--delay", "200ms", "--duration",
        "300ms", "-o", trace,
      ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Recorded.report(trace)["process"]["pid"].int == Int(sleeper.pid))
      let near = try Command.run([Machine.lull, "record", "-q", "--pid", "lull-by-nam"])
      #expect(near.status == 125)
      #expect(near.errors.contains("did you mean “lull-by-name”?"), "\(near.errors)")
    }

    // python3 is a link to python3.11, and not called so by its file.
    @Test func `a process that was started by a link is found by the link's name`() throws {
      let scratch = try Scratch()
      let link = scratch.file("lull-a-link")
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: "/bin/sleep")
      let sleeper = try Command([link, "60"])
      defer { kill(sleeper.pid, SIGKILL) }
      usleep(200_000)
      let trace = scratch.file("t")
      let result = try Command.run([
        Machine.lull, "record", "-q", "--pid", "lull-a-link", "--duration", "300ms", "-o", trace,
      ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Recorded.report(trace)["process"]["pid"].int == Int(sleeper.pid))
    }

    // Those that programs in the kernel tell were none.
    @Test(
      .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3"), "needs python3"))
    func `the progress line counts the events that were recorded`() throws {
      let scratch = try Scratch()
      let program = try Command([Machine.workload, "poller", "hz=50", "seconds=60", "main=0"])
      defer { kill(program.pid, SIGKILL) }
      usleep(300_000)
      let result = try Command.run([
        "/usr/bin/python3", "-c", "import pty, sys; pty.spawn(sys.argv[1:])", Machine.lull,
        "record", "--no-report", "--pid", "\(program.pid)", "--duration", "3s", "-o",
        scratch.file("t"),
      ])
      let counts = result.text.matches(of: /recorded [^,]*, ([0-9,]+) events?/).map {
        Int($0.output.1.filter { $0 != "," }) ?? 0
      }
      // Fifty waits a second, each of which is a few.
      let last = try #require(counts.last, "\(result.text)")
      #expect(last > 100 && last < 5000, "\(result.text)")
    }

    @Test func `with --force a trace takes the place of another file`() throws {
      let scratch = try Scratch()
      let path = scratch.file("t")
      try Data("old".utf8).write(to: URL(fileURLWithPath: path))
      let result = try Command.run([
        Machine.lull, "record", "-q", "--force", "-o", path, "--", "true",
      ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Recorded.report(path)["process"]["name"].string == "true")
    }

    @Test func `a process that is not in the trace is answered by the nearest`() throws {
      let run = try Recorded(workload: "appender writes=5 gap=1")
      let result = try Command.run([
        Machine.lull, "report", run.trace, "--process", "lull-workloda",
      ])
      #expect(result.status == 65)
      #expect(result.errors.contains("did you mean lull-workload ("), "\(result.errors)")
    }
  }
}
