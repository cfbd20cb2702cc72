import Foundation
import Testing

extension EndToEnd {
  @Suite struct Robustness {
    @Test(arguments: [0.3, 2])
    func `a trace cut short by kill -9 is readable and says so`(after: Double) throws {
      let scratch = try Scratch()
      let trace = scratch.file("t")
      let command = try Command([
        Machine.lull, "record", "-q", "-o", trace, "--", "sh", "-c",
        "echo ready; exec \"$0\" poller hz=100 seconds=4", Machine.workload,
      ])
      for _ in 0..<1000 where command.outputSoFar.isEmpty { usleep(10_000) }
      usleep(useconds_t(after * 1e6))
      kill(command.pid, SIGKILL)
      #expect(try command.finish().signal == SIGKILL)
      let report = try Recorded.report(trace)
      #expect(report["trace"]["truncated"].bool == true)
      // What was not half a second old may be lost.
      guard after > 1 else { return }
      #expect(report["process"]["name"].string?.hasPrefix("lull-workload") == true)
      #expect((report["signals"]["wakeups"]["total"].int ?? 0) > 30)
    }

    // One event in forty was taken for all there were, and the turns of the recorder for timers of the program.
    @Test func `of a busy program a killed recording says what was sampled`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("killed.perf.data")
      let target = try Command([
        Machine.workload, "bytewriter", "count=200000000", "path=/dev/null",
      ])
      defer { kill(target.pid, SIGKILL) }
      func written() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(target.pid)/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("syscw:") }
        return Double(line?.split(separator: " ").last ?? "") ?? 0
      }
      let recorder = try Command([
        Machine.lull, "record", "-q", "--recorder", "perf", "--pid", "\(target.pid)", "-o", trace,
      ])
      sleep(7)
      kill(recorder.pid, SIGKILL)
      #expect(try written() > 100_000)
      let report = try Recorded.report(trace)
      #expect(report["trace"]["truncated"].bool == true)
      let sampled = report["capture"]["sampled"].items
      #expect(sampled.contains { ($0["period"].double ?? 0) > 5 }, "\(report["capture"])")
    }

    @Test func `a trace with its tail cut off is readable and says so`() throws {
      let run = try Recorded(workload: "poller hz=100 seconds=2")
      let whole = try Data(contentsOf: URL(fileURLWithPath: run.trace))
      for share in [0.9, 0.6, 0.3] {
        let cut = run.scratch.file("cut")
        try whole.prefix(Int(Double(whole.count) * share)).write(to: URL(fileURLWithPath: cut))
        #expect(try Recorded.report(cut)["trace"]["truncated"].bool == true)
      }
    }

    @Test func `a full disk leaves a trace that says it is truncated`() throws {
      let scratch = try Scratch()
      let folder = scratch.file("small")
      let script = """
        mkdir "$1" && mount -t tmpfs -o size=600k t "$1" &&
        "$2" record -q -o "$1/t" -- "$3" poller hz=2000 seconds=4 main=0; echo "status=$?"
        "$2" report "$1/t" --format json > "$4"
        """
      let output = scratch.file("report.json")
      let result = try Command.run(
        ["unshare", "-m", "sh", "-c", script, "sh", folder, Machine.lull, Machine.workload, output])
      let report = try JSON(parsing: Data(contentsOf: URL(fileURLWithPath: output)))
      #expect(report["trace"]["truncated"].bool == true, "\(result.text) \(result.errors)")
      // The command ended well, and its recording did not.
      #expect(result.text.contains("status=125"), "\(result.text)")
      #expect(result.errors.contains("cut short after") && result.errors.contains("status 0"))
      try expectToldLength(of: report, in: result.errors)
    }

    /// What the recorder says can be read is what the report is of.
    private func expectToldLength(of report: JSON, in errors: String) throws {
      let told = try #require(errors.firstMatch(of: /after ([0-9.]+) (s|ms) of/))
      let seconds = try #require(Double(told.1)) / (told.2 == "ms" ? 1e3 : 1)
      let length = try #require(report["trace"]["durationSeconds"].double)
      // Rounded to two digits where they are seconds.
      #expect(length > 0 && abs(length - seconds) < 0.04 * length, "\(length): \(errors)")
    }

    // The recorder was killed by the signal, and the command ran on unobserved.
    @Test func `a limit of the size of files is as a full disk`() throws {
      let scratch = try Scratch()
      let script = """
        ulimit -f 100; "$1" record -q -o "$2" -- sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); : >/dev/null; done'
        echo "status=$?"
        """
      let result = try Command.run(
        ["bash", "-c", script, "bash", Machine.lull, scratch.file("t")])
      #expect(result.text.contains("status=125"), "\(result.text) \(result.errors)")
      #expect(result.errors.contains("cut short after") && result.errors.contains("status 0"))
      let report = try Recorded.report(scratch.file("t"))
      #expect(report["trace"]["truncated"].bool == true)
      try expectToldLength(of: report, in: result.errors)
    }

    @Test func `the same trace gives the same report, byte for byte`() throws {
      let run = try Recorded(workload: "blocker cause=lock count=3 ms=150 gap=100")
      let reports = try (0..<2).map { _ in
        try Command.run(
          [Machine.lull, "report", run.trace, "--format", "json"],
          environment: ["TZ": "Asia/Tokyo"]
        ).output
      }
      #expect(reports[0] == reports[1])
      let usual = try Command.run([Machine.lull, "report", run.trace, "--format", "json"]).output
      #expect(reports[0] == usual)
    }

    @Test func `another user without tracefs makes the same report, byte for byte`() throws {
      let run = try Recorded(workload: "blocker cause=sleep count=2 ms=150 gap=100")
      let usual = try Command.run([Machine.lull, "report", run.trace, "--format", "json"]).output
      // Where the other user may not go, the program is not found; so it is copied to where he may.
      let program = run.scratch.file("lull")
      try FileManager.default.copyItem(atPath: Machine.lull, toPath: program)
      chmod(program, 0o755)
      chmod(run.trace, 0o644)
      let script = """
        for folder in $(awk '$3 == "tracefs" || $3 == "debugfs" { print $2 }' /proc/mounts); do
          umount -l $folder 2>/dev/null
        done
        [ ! -e /sys/kernel/tracing/events ] || exit 99
        exec setpriv --reuid=65534 --regid=65534 --clear-groups "$0" report "$1" --format json
        """
      let theirs = try Command.run(
        ["unshare", "-m", "sh", "-c", script, program, run.trace])
      try #require(theirs.status == 0, "\(theirs.errors)")
      #expect(theirs.output == usual)
    }

    @Test(.enabled(if: Machine.hasPerf, Machine.needsPerf))
    func `perf reads the trace without an error`() throws {
      let run = try Recorded(workload: "chatty messages=20 gap=10")
      for words in [["script"], ["report", "--stdio"], ["evlist", "-v"]] {
        let result = try Command.run(["perf"] + words + ["-i", run.trace])
        #expect(result.status == 0, "perf \(words)")
        let complaints = result.errors.split(separator: "\n").filter { line in
          ["error", "fail", "invalid", "corrupt", "incompatible", "unknown"]
            .contains { line.lowercased().contains($0) }
        }
        #expect(complaints.isEmpty, "perf \(words): \(complaints)")
        #expect(!result.output.isEmpty)
      }
    }

    @Test(.enabled(if: Machine.hasPerf, Machine.needsPerf))
    func `nothing is lost at the rate of perf bench sched pipe`() throws {
      let run = try Recorded(["perf", "bench", "sched", "pipe", "-l", "150000"])
      #expect(run.report["trace"]["lostEvents"].int == 0)
      #expect(run.report["trace"]["lostSamples"].int ?? 0 == 0)
    }

    @Test(.enabled(if: Machine.isQuiet, Machine.needsQuiet))
    func `a program of nothing but one-byte writes takes at most twice its time`() throws {
      let command = [Machine.workload, "bytewriter", "count=3000000"]
      var ratios: [Double] = []
      for _ in 0..<3 {
        let alone = try JSON(lastLineOf: Command.run(command).text)["seconds"].double ?? 0
        let recorded = try Recorded(command).truth["seconds"].double ?? .infinity
        ratios.append(recorded / alone)
      }
      #expect((ratios.min() ?? .infinity) < 2, "\(ratios)")
    }
  }
}
