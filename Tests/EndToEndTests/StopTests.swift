import Foundation
import Testing

extension EndToEnd {
  /// Ways in which a recording is ended before its command ends by itself.
  @Suite struct Stops {
    /// Starts a recording of a shell script and waits until the script says that it runs.
    private func start(_ script: String, trace: String) throws -> Command {
      let command = try Command([
        Machine.lull, "record", "-q", "-o", trace, "--", "sh", "-c", script,
      ])
      for _ in 0..<1000 where !command.outputSoFar.contains("ready") { usleep(10_000) }
      try #require(command.outputSoFar.contains("ready"))
      return command
    }

    private func isRunning(_ command: Command, for seconds: Double) -> Bool {
      usleep(useconds_t(seconds * 1e6))
      return kill(command.pid, 0) == 0 && waitpid(command.pid, nil, WNOHANG) == 0
    }

    @Test func `the second Ctrl-C asks the command to end, whose status is given`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let command = try start(
        "trap 'exit 7' TERM; trap '' INT; echo ready; while :; do sleep 0.1; done", trace: trace)
      kill(command.pid, SIGINT)
      #expect(isRunning(command, for: 0.4), "the first one is the command's")
      kill(command.pid, SIGINT)
      #expect(try command.finish(limit: 30).status == 7)
      #expect(try Recorded.report(trace)["trace"]["truncated"].bool == false)
    }

    @Test func `the third Ctrl-C ends the recording of a command that does not end`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let command = try start(
        "trap '' INT TERM; echo ready $$; while :; do sleep 0.1; done", trace: trace)
      defer {
        let words = command.outputSoFar.split(whereSeparator: \.isWhitespace)
        if let pid = words.last.flatMap({ pid_t($0) }) { kill(pid, SIGKILL) }
      }
      for _ in 0..<3 {
        kill(command.pid, SIGINT)
        usleep(300_000)
      }
      #expect(try command.finish(limit: 30).status == 130)
      #expect(try Recorded.report(trace)["trace"]["truncated"].bool == false)
    }

    @Test func `signals for a user's own ends are the command's`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let command = try start(
        "trap 'echo one' USR1; trap 'exit 5' USR2; echo ready; while :; do sleep 0.1; done",
        trace: trace)
      kill(command.pid, SIGUSR1)
      for _ in 0..<300 where !command.outputSoFar.contains("one") { usleep(10_000) }
      #expect(command.outputSoFar.contains("one"))
      kill(command.pid, SIGUSR2)
      #expect(try command.finish(limit: 30).status == 5)
      #expect(try Recorded.report(trace)["trace"]["truncated"].bool == false)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGXCPU, SIGALRM])
    func `a closed terminal or a request to end finishes the trace`(signal: Int32) throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let seconds = "30.\(getpid())"
      let command = try start("echo ready; exec sleep \(seconds)", trace: trace)
      // The shell says that it is ready right before it becomes that.
      for _ in 0..<1000 where !isRunning(containing: seconds) { usleep(10_000) }
      kill(command.pid, signal)
      #expect(try command.finish(limit: 30).status == 128 + signal)
      let report = try Recorded.report(trace)
      #expect(report["trace"]["truncated"].bool == false)
      #expect(report["process"]["name"].string == "sleep")
    }

    @Test(.enabled(if: Machine.isRoot, Machine.needsRoot))
    func `a recorder that waits for an earlier one's events to be closed is not ended unheard`()
      throws
    {
      let scratch = try Scratch()
      let (holds, trace) = (scratch.file("holds"), scratch.file("t"))
      // What recorders hold while they close their events, held for as long as one of them waits for that at most.
      let holder = try Command([
        "unshare", "-m", "sh", "-c",
        "mount -t tracefs none /mnt && exec flock -s /mnt/uprobe_profile sh -c 'touch \(holds); exec sleep 3'",
      ])
      for _ in 0..<500 where access(holds, F_OK) != 0 { usleep(10_000) }
      try #require(access(holds, F_OK) == 0)
      let command = try Command(
        [
          Machine.lull, "record", "-q", "-o", trace, "--", "sh", "-c",
          "trap 'exit 5' USR2; echo ready; while :; do sleep 0.1; done",
        ], settles: false)
      #expect(isRunning(command, for: 1))
      #expect(!command.outputSoFar.contains("ready"), "it waits")
      for signal in [SIGPIPE, SIGXFSZ, SIGQUIT] { kill(command.pid, signal) }
      #expect(isRunning(command, for: 0.5))
      for _ in 0..<1000 where !command.outputSoFar.contains("ready") { usleep(10_000) }
      kill(command.pid, SIGUSR2)
      #expect(try command.finish(limit: 30).status == 5)
      #expect(try Recorded.report(trace)["trace"]["truncated"].bool == false)
      _ = try holder.finish()
    }

    /// Whether a process has this among the words of its command line.
    private func isRunning(containing word: String) -> Bool {
      let files = FileManager.default
      return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).contains { name in
        guard Int(name) != nil, let data = files.contents(atPath: "/proc/\(name)/cmdline") else {
          return false
        }
        return data.split(separator: 0).contains { String(decoding: $0, as: UTF8.self) == word }
      }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interrupted comparison ends what it records and leaves nothing behind`(signal: Int32)
      throws
    {
      let scratch = try Scratch()
      let (work, begun) = (scratch.file("work"), scratch.file("begun"))
      try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
      let seconds = "30.\(getpid())"
      let script = "touch \(begun); exec sleep \(seconds)"
      let command = try Command(
        [Machine.lull, "compare", "--interleave", "6", "--base", script, "--new", script],
        environment: ["TMPDIR": work])
      for _ in 0..<1000 where access(begun, F_OK) != 0 { usleep(10_000) }
      try #require(access(begun, F_OK) == 0)
      // The shell becomes it right after.
      for _ in 0..<1000 where !isRunning(containing: seconds) { usleep(10_000) }
      try #require(isRunning(containing: seconds))
      // A terminal tells the whole group, a supervisor only the one that it started.
      let children = try String(
        contentsOfFile: "/proc/\(command.pid)/task/\(command.pid)/children", encoding: .utf8)
      kill(command.pid, signal)
      if signal == SIGINT {
        for child in children.split(separator: " ").compactMap({ pid_t($0) }) {
          kill(child, SIGTERM)
        }
      }
      let result = try command.finish(limit: 30)
      #expect(result.status == 128 + signal)
      #expect(result.errors.contains("interrupted while recording"), "\(result.errors)")
      #expect(!isRunning(containing: seconds))
      #expect(try FileManager.default.contentsOfDirectory(atPath: work).isEmpty)
    }

    private static let probeDefinitions = "/sys/kernel/tracing/uprobe_events"

    @Test(
      .enabled(if: access(probeDefinitions, R_OK) == 0, "needs tracefs mounted to look at probes"))
    func `probes that a killed recorder left behind are removed by the next`() throws {
      let scratch = try Scratch()
      let command = try start("echo ready; exec sleep 3", trace: scratch.file("t"))
      let group = "lull_\(command.pid)/"
      // Read in parts, as the kernel gives it; those of an earlier recording may be removed meanwhile.
      func isDefined() throws -> Bool {
        try Command.run(["cat", Self.probeDefinitions]).text.contains(group)
      }
      var wasDefined = false
      for _ in 0..<20 where !wasDefined {
        wasDefined = try isDefined()
        if !wasDefined { usleep(50_000) }
      }
      #expect(wasDefined)
      kill(command.pid, SIGKILL)
      _ = try command.finish()
      let next = try Command.run(
        [Machine.lull, "record", "-q", "-o", scratch.file("u"), "--", "true"])
      #expect(next.status == 0)
      #expect(try !isDefined())
    }

    @Test func `under sudo the command and its trace are the user's`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let result = try Command.run(
        [Machine.lull, "record", "-q", "-o", trace, "--", "id", "-u"],
        environment: ["SUDO_UID": "1234", "SUDO_GID": "1234", "SUDO_USER": "somebody"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.text == "1234\n")
      var information = stat()
      #expect(stat(trace, &information) == 0)
      #expect(information.st_uid == 1234 && information.st_gid == 1234)
    }
  }

  @Suite struct Processes {
    @Test func `every process is in the report with its totals`() throws {
      let scratch = try Scratch()
      let files = [scratch.file("a"), scratch.file("b")]
      let run = try Recorded(
        [
          "sh", "-c",
          "\"$0\" appender writes=10 bytes=100 gap=1 path=\"$1\"; "
            + "\"$0\" bytewriter count=50 path=\"$2\"; true", Machine.workload,
        ] + files, scratch: scratch)
      let processes = run.report["processes"].items
      let written = processes.compactMap { $0["bytesWritten"].int }.sorted()
      #expect(written.suffix(2) == [50, 1000], "\(processes)")
      #expect(processes.count == 3)
      #expect(processes.allSatisfy { ($0["cpuSeconds"].double ?? 0) > 0 }, "\(processes)")
    }

    @Test func `what a shell did before exec is not the program's launch`() throws {
      let run = try Recorded([
        "sh", "-c", "sleep 1; exec \"$0\" idle seconds=1", Machine.workload,
      ])
      #expect(run.report["process"]["executable"].string == Machine.workload)
      #expect((run.mainThread["launchSeconds"].double ?? 9) < 0.9, "\(run.mainThread)")
    }

    @Test func `a counter counts what the program itself was told`() throws {
      let run = try Recorded(
        workload: "poller hz=100 seconds=1 main=0",
        options: ["--counters", "perf::CONTEXT-SWITCHES"])
      let counters = run.signals["counters"].items
      let usage = run.truth["usage"]
      let truth = (usage["voluntarySwitches"].int ?? 0) + (usage["involuntarySwitches"].int ?? 0)
      let counted = counters.first?["value"].int ?? -1
      #expect(abs(counted - truth) <= 12 + truth / 100, "\(counters) of \(usage)")
    }

    @Test func `a counter that cannot be had is said not to be measured`() throws {
      let run = try Recorded(
        workload: "idle seconds=1", options: ["--counters", "no_such_counter"])
      let told = run.report["capture"]["unavailable"].items.first {
        $0["signal"].string == "counters"
      }
      #expect(told?["reason"].string?.contains("no_such_counter") == true)
    }
  }
}
