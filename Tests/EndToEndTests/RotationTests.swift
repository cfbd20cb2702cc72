import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct Rotations {
    private static func parts(in folder: String) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        .map { "\(folder)/\($0)" }
    }

    /// Writes a line every 10 ms for five seconds, and its main thread only waits for events.
    private static func appender(_ log: String) -> [String] {
      [Machine.workload, "appender", "writes=500", "bytes=80", "gap=10", "path=\(log)"]
    }

    @Test(arguments: ["perf", "process"])
    func `parts tell together what the program did, and each has its names`(recorder: String) throws
    {
      let scratch = try Scratch()
      let folder = scratch.file("parts")
      let log = scratch.file("log")
      let result = try Command.run(
        [
          Machine.lull, "record", "-q", "--rotate", "1s", "-o", folder, "--recorder", recorder,
          "--",
        ] + Self.appender(log))
      try #require(result.status == 0, "\(result.errors)")
      let truth = try JSON(lastLineOf: result.text)
      let parts = Self.parts(in: folder)
      try #require(parts.count >= 5)

      let whole = try Recorded.report(folder)
      #expect(whole["trace"]["truncated"].bool == false)
      #expect(whole["capture"]["mode"].string == "wrap")
      #expect(whole["process"]["exitStatus"].int == 0)
      let file = whole["signals"]["disk"]["files"].items.first { $0["path"].string == log }
      #expect(file?["writes"].int == truth["writes"].int)
      #expect(file?["bytesWritten"].int == truth["bytes"].int)
      // The list of the files says the same as their folder.
      let listed = try Command.run([Machine.lull, "report", "--format", "json"] + parts)
      #expect(
        try JSON(parsing: listed.output)["signals"]["disk"]["writes"].int
          == whole["signals"]["disk"]["writes"].int)

      var writes = 0
      var seconds = 0.0
      var processor = 0.0
      for (index, part) in parts.enumerated() {
        let report = try Recorded.report(part)
        #expect(report["process"]["name"].string == "lull-workload", "\(part)")
        #expect(report["trace"]["truncated"].bool == false)
        if index > 0 { #expect(report["capture"]["mode"].string == "attach") }
        let own = report["signals"]["disk"]["files"].items.first { $0["path"].string == log }
        writes += own?["writes"].int ?? 0
        seconds += report["trace"]["durationSeconds"].double ?? 0
        processor += report["signals"]["cpu"]["totalSeconds"].double ?? 0
        // Of writes that come one after another the stacks of some are taken: the last file may have a few alone.
        guard (own?["writes"].int ?? 0) > 50, recorder == "perf" else { continue }
        let names = try Command.run([
          Machine.lull, "export", part, "--what", "writes", "--format", "folded",
        ])
        #expect(names.text.contains("appender"), "\(part): \(names.text)")
      }
      #expect(writes == truth["writes"].int)
      let duration = try #require(whole["trace"]["durationSeconds"].double)
      #expect(abs(seconds - duration) < 0.1 * duration)
      // What calls that wait take in the kernel /proc alone counts, in steps of 10 ms, within the process: it is in the
      // whole as soon as it is clearly more.
      let told = whole["signals"]["threads"].items.compactMap { $0["cpuSeconds"].double }
        .reduce(0, +)
      #expect(abs(processor - told) < 0.1 * told + 0.005)
      let total = try #require(whole["signals"]["cpu"]["totalSeconds"].double)
      #expect(total > 0.99 * told && (recorder == "process" || total < 1.01 * told))
    }

    // The first thread, parked since before the recording, was told of in the first part alone: in all others the
    // program had no event loop, and 100 points.
    @Test(arguments: ["kernel", "perf"])
    func `parts of a program that was attached to know its waits from before`(recorder: String)
      throws
    {
      let scratch = try Scratch()
      let folder = scratch.file("parts")
      let target = try Command([
        Machine.asyncWorkload, "mode=async-main", "count=100", "ms=150", "gap=250",
      ])
      defer { kill(target.pid, SIGKILL) }
      usleep(500_000)
      let result = try Command.run([
        Machine.lull, "record", "-q", "--rotate", "2s", "--duration", "7s", "-o", folder,
        "--recorder", recorder, "--pid", "\(target.pid)",
      ])
      try #require(result.status == 0, "\(result.errors)")
      let parts = Self.parts(in: folder)
      try #require(parts.count >= 3)
      for part in parts.prefix(3) {
        let main = try Recorded.report(part)["signals"]["mainThread"]
        #expect(main["hasEventLoop"].bool == true, "\(part): \(main)")
        #expect((3...6).contains(main["hangs"].items.count), "\(part): \(main)")
        #expect((0.5...0.95).contains(main["blockedSeconds"].double ?? 0), "\(part): \(main)")
      }
    }

    /// Pairs of threads on one CPU, of which one answers the other, three times a second: as a part begins all wait,
    /// and most had given the CPU to one another.
    @Test(.enabled(if: Rung.areThere, Rung.needsTools), arguments: [Rung.root, .processes])
    func `a thread that waits as a part begins does not run there`(rung: Rung) throws {
      let scratch = try Scratch()
      let folder = scratch.file("parts")
      let result = try Command.run(
        rung.words(writingTo: scratch) + [
          Machine.lull, "record", "-q", "--recorder", "perf", "--rotate", "1s", "-o", folder, "--",
          "taskset", "-c", "0", Machine.workload, "rally", "rounds=1", "later=15", "gap=300",
          "pairs=12", "rest=0", "writes=1", "path=\(scratch.file("log"))",
        ])
      try #require(result.status == 0, "\(result.errors)")
      let parts = Self.parts(in: folder)
      try #require(parts.count >= 4)
      func processor(_ path: String) throws -> Double {
        let report = try Recorded.report(path)
        return try #require(report["signals"]["cpu"]["totalSeconds"].double)
      }
      let whole = try processor(folder)
      let sum = try parts.map(processor).reduce(0, +)
      #expect(abs(sum - whole) < 0.1 * whole + 0.005, "\(parts.count) parts: \(sum), \(whole)")
      #expect(try processor(parts[2]) < 0.05)
    }

    @Test func `so many are kept, which can be read without those before`() throws {
      let scratch = try Scratch()
      let folder = scratch.file("parts")
      let log = scratch.file("log")
      let metrics = scratch.file("metrics.prom")
      let result = try Command.run(
        [
          Machine.lull, "record", "-q", "--rotate", "1s", "--keep", "2", "--metrics", metrics, "-o",
          folder, "--",
        ]
          + Self.appender(log))
      try #require(result.status == 0, "\(result.errors)")
      #expect(Self.parts(in: folder).count == 2)
      // The figures of the last file, as a collector finds them.
      let last = try Recorded.report(Self.parts(in: folder)[1])
      let text = try String(contentsOfFile: metrics, encoding: .utf8)
      let written = text.split(separator: "\n").first {
        $0.contains("path=\"signals.disk.bytesWritten\"")
      }
      let value = written?.split(separator: " ").last.flatMap { Double($0) }
      #expect(value == last["signals"]["disk"]["bytesWritten"].double)
      #expect(text.hasSuffix("# EOF\n"))
      let report = try Recorded.report(folder)
      let file = report["signals"]["disk"]["files"].items.first { $0["path"].string == log }
      let writes = file?["writes"].int ?? 0
      #expect(writes > 50 && writes < 250)
      #expect(file?["bytesWritten"].int == writes * 80)
      #expect(report["process"]["name"].string == "lull-workload")
    }

    @Test func `old parts that cannot be found stay, and it is said`() throws {
      let scratch = try Scratch()
      let folder = scratch.file("parts")
      try #require(mkdir(folder, 0o300) == 0)
      let result = try Command.run(
        BuiltLull.withoutOverride + [
          Machine.lull, "record", "-q", "--rotate", "1s", "--keep", "1", "-o", folder, "--",
        ] + Self.appender(scratch.file("log")))
      #expect(result.status == 0, "\(result.errors)")
      #expect(Self.parts(in: folder).count > 1)
      #expect(result.errors.contains("old parts stay in \(folder)"), "\(result.errors)")
    }

    @Test
    func `a hang-up begins a new part and ends nothing, and a large part is followed by another`()
      throws
    {
      let scratch = try Scratch()
      let folder = scratch.file("parts")
      let target = try Command(Self.appender(scratch.file("log")))
      let recorder = try Command([
        Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--rotate", "1MB", "-o", folder,
      ])
      sleep(2)
      let before = Self.parts(in: folder).count
      kill(recorder.pid, SIGHUP)
      usleep(700_000)
      #expect(Self.parts(in: folder).count > before)
      let result = try recorder.finish()
      #expect(result.status == 0, "\(result.errors)")
      _ = try target.finish()
      let report = try Recorded.report(folder)
      #expect(report["trace"]["truncated"].bool == false)
      #expect(report["capture"]["mode"].string == "attach")
    }
  }
}
