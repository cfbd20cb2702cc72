import Foundation
import Testing

extension EndToEnd {
  /// A package with tests of both kinds, recorded as `swift test` runs them.
  @Suite struct TestHosts {
    /// What runs the package's tests, which are built before.
    private static func runner() throws -> [String] {
      let package = TestPackage.tested
      _ = try package.folder()
      return [
        "swift", "test", "--skip-build", "--package-path", package.path, "--scratch-path",
        package.scratchPath,
      ]
    }

    private struct Interval {
      var name: String
      var how: String
      var start: Double
      var seconds: Double
      var cpuSeconds: Double
      var bytesWritten: Int
      var outcome: String
    }

    private func record(
      _ options: [String] = [], in place: [String] = [], scratch: Scratch
    ) throws -> (intervals: [Interval], said: String, evidence: String) {
      let trace = scratch.file("\(UUID().uuidString).perf.data")
      let run = try Command.run(
        place + [Machine.lull, "record", "-q", "-o", trace, "--"] + Self.runner()
          + ["--no-parallel"] + options, limit: 200)
      try #require(run.status == 0, "\(run.text)\(run.errors)")
      let report = try Recorded.report(trace)
      let intervals = report["intervals"].items.map { item in
        Interval(
          name: item["name"].string ?? "", how: item["how"].string ?? "",
          start: item["start"].double ?? 0, seconds: item["durationSeconds"].double ?? 0,
          cpuSeconds: item["cpuSeconds"].double ?? 0,
          bytesWritten: item["bytesWritten"].int ?? 0, outcome: item["outcome"].string ?? "")
      }
      return (intervals, run.text + run.errors, try evidence(trace, report))
    }

    /// What to go by when a test is missing: whether its lines were recorded, and of whom.
    private func evidence(_ trace: String, _ report: JSON) throws -> String {
      let processes = report["processes"].items.map {
        "\($0["pid"].int ?? 0) \($0["name"].string ?? "")"
      }
      var lines: [String: Int] = [:]
      if Machine.hasPerf {
        let script = try Command.run(["perf", "script", "-i", trace, "-F", "comm,pid,event"])
        for line in script.text.split(separator: "\n")
        where line.contains(":fwrite") || line.contains(":fputs") {
          lines[line.split(separator: " ").joined(separator: " "), default: 0] += 1
        }
      }
      return "\(report["trace"]["lostEvents"].int ?? -1) lost, of \(processes), lines \(lines)"
    }

    /// The seconds that a runner says a test took: `NAME passed after 0.151 seconds.`, `NAME' passed (0.2 seconds)`.
    private func seconds(_ name: String, in said: String) throws -> Double {
      let line = said.split(separator: "\n").first {
        $0.contains(name) && $0.contains(" passed ") && $0.contains(" seconds")
      }
      let words = try #require(line, "\(name) in \(said)").split(separator: " ")
      let index = try #require(words.firstIndex { $0.hasPrefix("seconds") })
      let number = String(words[index - 1].filter { $0.isNumber || $0 == "." })
      return try #require(Double(number))
    }

    /// Each of the package's tests is there and passed; two of them are called the same.
    private func expectEachOnce(in intervals: [Interval], _ evidence: String) {
      let names = [
        "OldTests.testSpins", "OldTests.testWrites", "each(times:)", "spins()", "spins()",
        "writes a file",
      ]
      #expect(intervals.map(\.name).sorted() == names, "\(evidence)")
      #expect(intervals.allSatisfy { $0.outcome == "passed" }, "\(evidence)")
    }

    @Test(.enabled(if: Machine.tool("swift") != nil, "needs swift to build the package"))
    func `each test is an interval as long as its runner says, with its own cost`() throws {
      let scratch = try Scratch()
      let (intervals, said, evidence) = try record(scratch: scratch)
      expectEachOnce(in: intervals, "\(evidence); \(said)")
      #expect(intervals.count { $0.how == "xctest" } == 2)
      func one(_ name: String) throws -> Interval {
        try #require(intervals.first { $0.name == name })
      }
      for (name, word, cpu) in [
        ("OldTests.testSpins", "OldTests.testSpins", 0.2), ("each(times:)", "each(times:)", 0.15),
      ] {
        let test = try one(name)
        let truth = try seconds(word, in: said)
        #expect(abs(test.seconds - truth) < 0.1 * truth + 0.05, "\(name): \(test), \(truth)")
        // A thread's own clock spun as long; what else the runner does comes on top.
        #expect(test.cpuSeconds > 0.98 * cpu && test.cpuSeconds < cpu + 0.2, "\(test)")
        #expect(test.bytesWritten < 100_000, "\(test)")
      }
      let (old, new) = (try one("OldTests.testWrites"), try one("writes a file"))
      #expect(old.bytesWritten == 300_000 && new.bytesWritten == 500_000, "\(old), \(new)")

      // The event stream tells the two apart that are called the same.
      let stream = scratch.file("events.jsonl")
      let (streamed, _, streamEvidence) = try record(
        ["--disable-xctest", "--event-stream-output-path", stream], scratch: scratch)
      #expect(
        Set(streamed.map(\.name)) == [
          "WorkTests.NewTests/spins()", "WorkTests.NewTests/writes()",
          "WorkTests.NewTests/each(times:)", "WorkTests.OtherTests/spins()",
        ], "\(streamEvidence)")
      #expect(streamed.count == 4)
      let other = try #require(streamed.first { $0.name == "WorkTests.OtherTests/spins()" })
      #expect(other.cpuSeconds > 0.098 && other.cpuSeconds < 0.3, "\(other)")
    }

    // Where no probe can be set, as in a container, the program's own streams tell it.
    @Test(
      .enabled(if: Machine.tool("swift") != nil, "needs swift to build the package"),
      .enabled(if: Rung.areThere, Rung.needsTools))
    func `each test is an interval in a container as well`() throws {
      let scratch = try Scratch()
      let (intervals, said, evidence) = try record(
        in: Rung.dockerRoot.words(writingTo: scratch), scratch: scratch)
      expectEachOnce(in: intervals, "\(evidence); \(said)")
      let spins = try #require(intervals.first { $0.name == "OldTests.testSpins" })
      let truth = try seconds("OldTests.testSpins", in: said)
      #expect(abs(spins.seconds - truth) < 0.1 * truth + 0.05, "\(spins), \(truth)")
      #expect(spins.cpuSeconds > 0.98 * 0.2 && spins.cpuSeconds < 0.4, "\(spins)")
      let writes = try #require(intervals.first { $0.name == "writes a file" })
      #expect(writes.bytesWritten == 500_000, "\(writes)")
    }

    // It lives for some milliseconds, in which its first thread waits: nobody outside looks at it in time.
    @Test(.enabled(if: Machine.tool("swift") != nil, "needs swift to build the package"))
    func `what the first thread of a short host waits for is known within the process`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("t.perf.data")
      let run = try Command.run(
        [Machine.lull, "record", "-q", "--recorder", "process", "-o", trace, "--"] + Self.runner()
          + ["--disable-xctest", "--filter", "writes"], limit: 200)
      try #require(run.status == 0, "\(run.text)\(run.errors)")
      let hosts = try Recorded.report(trace)["processes"].items.filter {
        $0["name"].string?.hasSuffix(".xctest") == true
      }
      let host = try #require(hosts.last?["pid"].int, "\(hosts)")
      let report = try Recorded.report(trace, options: ["--process", "\(host)"])
      let main = report["signals"]["mainThread"]
      #expect(main["hasEventLoop"].bool == true, "\(main)")
      #expect((main["idleSeconds"].double ?? 0) > 0, "\(main)")
      #expect((main["blockedByCause"]["unknown"].double ?? 0) < 0.001, "\(main)")
      #expect(report["score"]["overall"].double != nil, "\(report["score"])")
    }
  }
}
