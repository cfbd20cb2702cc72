import Foundation
import Testing
import TraceModel

extension EndToEnd {
  @Suite struct Attach {
    /// Starts a workload, attaches to it for a while and reports.
    private func attach(
      to words: [String], duration: String, scratch: Scratch
    ) throws -> (target: Command, result: CommandResult, report: JSON) {
      let target = try Command(words)
      usleep(300_000)
      let trace = scratch.file("t")
      let result = try Command.run(
        [
          Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", duration, "-o",
          trace,
        ])
      try #require(result.status == 0, "\(result.errors)")
      return (target, result, try Recorded.report(trace))
    }

    @Test func `a running process is recorded for a while and left running`() throws {
      let scratch = try Scratch()
      let (target, result, report) = try attach(
        to: [Machine.workload, "blocker", "cause=sleep", "count=20", "ms=200", "gap=300"],
        duration: "3s", scratch: scratch)
      #expect(kill(target.pid, 0) == 0, "the target goes on")
      #expect(result.seconds < 10)
      #expect(report["capture"]["mode"].string == "attach")
      #expect(report["process"]["pid"].int == Int(target.pid))
      #expect(report["process"]["isSwift"].bool == true)
      #expect(isNear(report["trace"]["durationSeconds"].double, 3, slack: 0.3))
      let hangs = report["signals"]["mainThread"]["hangs"].items
      #expect((5...7).contains(hangs.count), "\(hangs.count) hangs")
      // A timer of a shared machine may be late, so each is held against what the program itself timed.
      let spans = try JSON(lastLineOf: target.finish().text)["spans"].items
      let origin = Double(try Trace.load(path: scratch.file("t")).start.nanoseconds)
      func seconds(_ time: JSON) -> Double { ((time.double ?? 0) - origin) / 1e9 }
      for hang in hangs.dropFirst().dropLast() {
        let middle = (hang["start"].double ?? 0) + (hang["durationSeconds"].double ?? 0) / 2
        let span = try #require(
          spans.first { seconds($0["startNs"]) < middle && middle < seconds($0["endNs"]) })
        let truth = seconds(span["endNs"]) - seconds(span["startNs"])
        #expect(truth >= 0.2 && isNear(hang, truth), "\(hang), the program says \(truth) s")
      }
    }

    /// A folder with a program and the libraries that it loads, and nothing else.
    private func tree(with program: String, in scratch: Scratch) throws -> String {
      let tree = scratch.file("tree")
      let script = """
        set -e
        cd /
        for file in "$1" $(ldd "$1" | grep -o '/[^ ]*'); do cp -L --parents "$file" "$2"; done
        """
      try FileManager.default.createDirectory(atPath: tree, withIntermediateDirectories: true)
      let copied = try Command.run(["bash", "-c", script, "copy", program, tree])
      try #require(copied.status == 0, "\(copied.errors)")
      return tree
    }

    // To who is not behind chroot /proc calls its files by the folder's path; to itself, and to the kernel's events,
    // that is its root. Neither its functions nor its event loop were known.
    @Test(
      .enabled(if: Machine.isRoot, Machine.needsRoot),
      arguments: ["auto", "perf", "outside"])
    func `a process behind chroot is told with its functions`(recorder: String) throws {
      let scratch = try Scratch()
      let tree = try tree(with: Machine.workload, in: scratch)
      // The mount is of this namespace and ends with it.
      let enter = "mkdir $0/proc && mount -t proc proc $0/proc && exec chroot $0 \"$@\""
      let target = try Command([
        "unshare", "-m", "--propagation", "private", "sh", "-c", enter, tree, Machine.workload,
        "blocker", "cause=lock", "count=20", "ms=300", "gap=300",
      ])
      usleep(400_000)
      let trace = scratch.file("t")
      let result = try Command.run([
        Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--recorder", recorder, "-o", trace,
        "--duration", "3s",
      ])
      kill(target.pid, SIGKILL)
      try #require(result.status == 0, "\(result.errors)")
      let report = try Recorded.report(trace)
      #expect(report["process"]["executable"].string == Machine.workload, "\(report["process"])")
      #expect(report["process"]["isSwift"].bool == true)
      let hangs = report["signals"]["mainThread"]["hangs"].items
      #expect((4...6).contains(hangs.count), "\(report["signals"]["mainThread"])")
      // A look from outside may not come through all of a stack.
      let function = recorder == "outside" ? "pthread_mutex_lock" : "makeLockBlock"
      for hang in hangs.dropFirst().dropLast() {
        let stack = hang["stack"].items.compactMap { $0["function"].string }
        #expect(stack.contains { $0.contains(function) }, "\(hang)")
      }
      #expect(report["signals"]["mainThread"]["hasEventLoop"].bool == true)
    }

    @Test(arguments: [("lock", "lock"), ("network", "network"), ("child", "child")])
    func `a program that hangs already is told what it waits in, and from where`(
      cause: String, told: String
    ) throws {
      let scratch = try Scratch()
      let (target, _, report) = try attach(
        to: [Machine.workload, "blocker", "cause=\(cause)", "count=1", "ms=20000", "gap=100"],
        duration: "2s", scratch: scratch)
      kill(target.pid, SIGKILL)
      let thread = report["signals"]["mainThread"]
      let seconds = try #require(report["trace"]["durationSeconds"].double)
      #expect(isNear(thread["blockedByCause"][told].double, seconds, slack: 0.01), "\(thread)")
      let stack = thread["blockings"][0]["stack"].items.compactMap { $0["function"].string }
      #expect(stack.contains { $0.contains("BlockerProgram.fire") }, "\(stack)")
      // Whether it has a loop to come back to was not seen, so nothing is said of that, and no score is made of it.
      #expect(!thread["hasEventLoop"].exists, "\(thread["hasEventLoop"])")
      #expect(
        report["score"].exists && report["score"]["overall"].double == nil, "\(report["score"])")
      let hangs = report["audits"].items.first { $0["id"].string == "main-thread-hangs" }
      #expect(hangs?["status"].string == "notMeasured")
    }

    @Test func `a program that is idle as it is attached to, and then hangs, has that hang`() throws
    {
      let scratch = try Scratch()
      let (target, _, report) = try attach(
        to: [Machine.workload, "blocker", "cause=lock", "count=1", "ms=1500", "gap=2500"],
        duration: "6s", scratch: scratch)
      let span = try JSON(lastLineOf: target.finish().text)["spans"][0]
      let truth = ((span["endNs"].double ?? 0) - (span["startNs"].double ?? 0)) / 1e9
      let hangs = report["signals"]["mainThread"]["hangs"].items
      #expect(hangs.count == 1)
      let hang = try #require(hangs.first)
      #expect(isNear(hang, truth), "\(hang) of \(truth)")
      #expect(hang["blockedByCause"].keys == ["lock"])
    }

    @Test(.enabled(if: Machine.hasPerf, Machine.needsPerf))
    func `perf prints what was recorded of a program that was attached to`() throws {
      let scratch = try Scratch()
      let (target, _, _) = try attach(
        to: [Machine.workload, "blocker", "cause=lock", "count=9", "ms=200", "gap=100"],
        duration: "1s", scratch: scratch)
      kill(target.pid, SIGKILL)
      let printed = try Command.run(["perf", "script", "-i", scratch.file("t")])
      #expect(printed.status == 0 && printed.signal == nil, "\(printed.errors.suffix(500))")
      // What the thread waited in as the recording began is the first of them.
      #expect(printed.text.contains("sched:sched_switch"))
    }

    @Test func `a file opened before is known by its path`() throws {
      let scratch = try Scratch()
      let log = scratch.file("log")
      let (_, _, report) = try attach(
        to: [
          Machine.workload, "appender", "writes=3000", "bytes=50", "gap=10", "path=\(log)",
        ], duration: "2s", scratch: scratch)
      let file = report["signals"]["disk"]["files"].items.first { $0["path"].string == log }
      let writes = file?["writes"].int ?? 0
      #expect(writes > 100)
      #expect(file?["bytesWritten"].int == writes * 50)
    }

    // It slept all the time, by the call that it was stopped in, in a function to blame.
    @Test(arguments: ["auto", "perf", "outside"])
    func `a process that is stopped already does not sleep`(recorder: String) throws {
      let scratch = try Scratch()
      let target = try Command(["sleep", "1000"])
      defer { kill(target.pid, SIGKILL) }
      usleep(200_000)
      kill(target.pid, SIGSTOP)
      usleep(100_000)
      let result = try Command.run(
        [
          Machine.lull, "record", "-q", "--recorder", recorder, "--pid", "\(target.pid)",
          "--duration", "1s", "-o", scratch.file("t"),
        ])
      try #require(result.status == 0, "\(result.errors)")
      let main = try Recorded.report(scratch.file("t"))["signals"]["mainThread"]
      #expect(main["blockedByCause"].keys.isEmpty && main["hangs"].items.isEmpty, "\(main)")
      #expect((main["idleSeconds"].double ?? 0) > 0.8, "\(main)")
    }

    @Test func `the recording ends with the target`() throws {
      let scratch = try Scratch()
      let (target, result, report) = try attach(
        to: [Machine.workload, "poller", "hz=20", "seconds=2"], duration: "30s", scratch: scratch)
      #expect(result.seconds < 10)
      #expect(try target.finish().status == 0)
      #expect(report["trace"]["truncated"].bool == false)
    }

    @Test func `threads born later are recorded too`() throws {
      let scratch = try Scratch()
      let (_, _, report) = try attach(
        to: [Machine.workload, "blocker", "cause=child", "count=8", "ms=100", "gap=200"],
        duration: "2s", scratch: scratch)
      #expect((report["process"]["children"].items.count) > 0, "\(report["process"])")
    }
  }

  @Suite struct Subject {
    @Test(arguments: [
      ["sh", "-c", "\"$0\" idle seconds=1; true", Machine.workload],
      ["env", "A=1", Machine.workload, "idle", "seconds=1"],
      ["sh", "-c", "sh -c '\"$0\" idle seconds=1; true' \"$0\"; true", Machine.workload],
    ])
    func `the Swift process that a driver started is the subject`(command: [String]) throws {
      let run = try Recorded(command)
      #expect(run.report["process"]["executable"].string == Machine.workload)
      #expect(run.report["process"]["isSwift"].bool == true)
    }

    @Test func `a program that is not Swift is recorded and said not to be`() throws {
      let run = try Recorded(["sleep", "0.5"])
      #expect(run.report["process"]["isSwift"].bool == false)
      #expect(run.report["process"]["name"].string == "sleep")
    }

    @Test func `another process can be chosen by name`() throws {
      let run = try Recorded(
        ["sh", "-c", "\"$0\" idle seconds=1 & sleep 1.2; wait", Machine.workload],
        reportOptions: ["--process", "sleep"])
      #expect(run.report["process"]["name"].string == "sleep")
    }
  }
}
