import Foundation
import TestSupport
import Testing
import TraceModel

extension EndToEnd {
  /// Recordings in PID namespaces, as every container has one.
  @Suite(.enabled(if: Machine.hasPIDNamespaces, "unshare cannot make a PID namespace here"))
  struct Namespace {
    /// What runs a command in a namespace of its own.
    static let new = Machine.newPIDNamespace

    /// Where the recorder runs, and where in it the target.
    struct Place: CustomTestStringConvertible {
      let testDescription: String
      let recorder: [String]
      let target: [String]
    }

    static let places = [
      Place(testDescription: "in a namespace", recorder: new, target: []),
      Place(testDescription: "in a nested namespace", recorder: new + new, target: []),
      Place(testDescription: "outside the target's namespace", recorder: [], target: new),
      Place(testDescription: "between two namespaces", recorder: new, target: new),
    ]

    private static func words(_ workload: String) -> [String] {
      [Machine.workload] + workload.split(separator: " ").map(String.init)
    }

    /// Holds hangs against the stretches that the program timed itself.
    private func expect(_ run: Recorded, _ cause: String, _ count: Int) {
      #expect(run.mainThread["hasEventLoop"].bool == true)
      #expect(run.hangs.count == count, "\(run.mainThread)")
      for (hang, length) in zip(run.hangs, run.trueSpans) {
        #expect(isNear(hang, length), "\(hang) of \(length) s")
        let causes = hang["blockedByCause"]
        let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
        #expect((causes[cause].double ?? 0) > 0.9 * blocked, "\(hang)")
        #expect(
          hang["stack"].items.contains { $0["function"].string?.contains("fire") == true },
          "\(hang)")
      }
    }

    @Test(arguments: places)
    func `blocking is timed and has its function wherever the recorder is`(place: Place) throws {
      let run = try Recorded(
        place.target + Self.words("blocker cause=lock count=3 ms=300 gap=200"), in: place.recorder)
      expect(run, "lock", 3)
    }

    @Test(arguments: [
      ("sleep", "sleep"), ("semaphore", "lock"), ("network", "network"), ("fsync", "sync"),
    ])
    func `each cause of blocking is told`(cause: String, name: String) throws {
      // A fast disk syncs more often than each wait is recorded; of 400 ms some are in any case.
      let run = try Recorded(
        workload: "blocker cause=\(cause) count=2 ms=600 gap=200", in: Self.new)
      expect(run, name, 2)
    }

    @Test(arguments: places)
    func `a timer's wakeups are counted`(place: Place) throws {
      let run = try Recorded(
        place.target + Self.words("poller hz=50 seconds=3"), in: place.recorder)
      expectTimer(run)
    }

    private func expectTimer(_ run: Recorded) {
      let wakeups = run.signals["wakeups"]
      let timer = wakeups["timers"].items.max { ($0["count"].int ?? 0) < ($1["count"].int ?? 0) }
      #expect(isNear(timer?["periodSeconds"].double, 0.02, slack: 0.0005), "\(wakeups)")
      #expect((140...155).contains(timer?["count"].int ?? 0), "\(wakeups)")
      #expect((wakeups["byCause"]["timer"].int ?? 0) >= 140, "\(wakeups)")
    }

    @Test(
      .enabled(if: Machine.hasPerf, Machine.needsPerf),
      .enabled(if: PerfBeside.clearCPU != nil, PerfBeside.needsClearCPU),
      arguments: places)
    func `the context of a timer's wakeups is the kernel's own`(place: Place) throws {
      EarlierRecordings.settle()
      let pinned = ["taskset", "-c", "\(try #require(PerfBeside.clearCPU))"]
      let run = try Recorded(
        pinned + place.target + Self.words("poller hz=50 seconds=3"), in: place.recorder)
      expectTimer(run)
      // They are not those that are inferred from runs.
      let trace = try Trace.load(path: run.trace)
      let woken = trace.wakeups.filter { $0.pid == trace.subject.pid }
      #expect(woken.count { $0.context == .unknown } < woken.count / 10, "of \(woken.count)")
    }

    @Test func `threads that wake each other do so by name`() throws {
      let run = try Recorded(
        workload: "blocker cause=lock count=5 ms=100 gap=50", in: Self.new)
      let trace = try Trace.load(path: run.trace)
      let tids = Set(trace.threads(of: trace.subject.pid).map(\.tid))
      let own = trace.wakeups.count {
        $0.pid == trace.subject.pid && $0.context == .task && tids.contains($0.waker)
      }
      #expect(own >= 5 && tids.count > 1)
      let total = run.signals["threads"].items.compactMap { $0["wakeups"].int }.reduce(0, +)
      #expect(run.signals["wakeups"]["total"].int == total)
    }

    @Test func `CPU time, bytes and paths are the program's own`() throws {
      let busy = try Recorded(
        workload: "blocker cause=compute count=2 ms=300 gap=100", in: Self.new)
      try #require(busy.hangs.count == 2)
      for (hang, cpu) in zip(busy.hangs, busy.trueCPU) {
        #expect(isNear(hang["runningSeconds"].double, cpu, slack: 0.01 + 0.1 * cpu), "\(hang)")
      }
      #expect((busy.signals["memory"]["peakFootprintBytes"].int ?? 0) > 100_000)
      let scratch = try Scratch()
      let path = scratch.file("log")
      let disk = try Recorded(
        workload: "appender writes=40 bytes=33 gap=1 path=\(path)", in: Self.new, scratch: scratch)
      #expect(disk.file(path)["writes"].int == 40)
      #expect(disk.file(path)["bytesWritten"].int == 40 * 33)
      let chat = try Recorded(
        workload: "chatty messages=40 bytes=123 reply=456 gap=5", in: Self.new,
        options: ["--radio-loopback"], reportOptions: ["--radio-loopback"])
      for key in ["bytesSent", "bytesReceived", "sends", "receives"] {
        #expect(chat.signals["network"][key].int == chat.truth[key].int, "\(key)")
      }
    }

    @Test func `what a busy program sends and receives is counted exactly`() throws {
      // Faster than each transfer is recorded.
      let run = try Recorded(
        workload: "bursty bursts=1 messages=150000 bytes=100 reply=100", in: Self.new,
        options: ["--radio-loopback"], reportOptions: ["--radio-loopback"])
      let trace = try Trace.load(path: run.trace)
      let pids = Set(trace.processes.map { Int($0.pid) })
      let spans = (trace.capture?.sampled ?? []).filter { $0.source == "sock:sock_send_length" }
      try #require(!spans.isEmpty)
      for span in spans {
        // Client and server say as much.
        let transfers = try #require(span.transfers)
        #expect(transfers.count == 2 && Set(transfers.map(\.pid)).isSubset(of: pids))
        #expect(transfers.allSatisfy { $0.bytes == 100 * $0.count })
        #expect(abs(Int(transfers[0].count) - Int(transfers[1].count)) < 10, "\(transfers)")
      }
      // On a busy machine some are lost before they are sampled.
      let sent = run.signals["network"]["bytesSent"].double ?? 0
      let truth = run.truth["bytesSent"].double ?? 0
      #expect(sent <= truth && sent > 0.8 * truth, "\(sent) of \(truth)")
    }

    /// Attaches, in a namespace, to a workload that runs there.
    private func attach(to workload: String, seconds: Int, scratch: Scratch) throws -> JSON {
      let script = """
        "$0" \(workload) & sleep 0.3; "$1" record -q --pid $! --duration \(seconds)s -o "$2"
        status=$?; kill $!; exit $status
        """
      let trace = scratch.file("t")
      let result = try Command.run(
        Self.new + ["sh", "-c", script, Machine.workload, Machine.lull, trace])
      try #require(result.status == 0, "\(result.errors)")
      return try Recorded.report(trace)
    }

    @Test func `an attached process's hangs and wakeups are seen`() throws {
      let scratch = try Scratch()
      let report = try attach(
        to: "blocker cause=lock count=30 ms=300 gap=200", seconds: 3, scratch: scratch)
      let hangs = report["signals"]["mainThread"]["hangs"].items
      #expect((5...7).contains(hangs.count), "\(hangs.count) hangs")
      #expect(
        hangs.dropFirst().dropLast().allSatisfy { ($0["durationSeconds"].double ?? 0) > 0.299 })
      let other = try Scratch()
      let wakeups = try attach(to: "poller hz=50 seconds=20", seconds: 3, scratch: other)
      #expect((wakeups["signals"]["wakeups"]["byCause"]["timer"].int ?? 0) >= 140)
    }

    // No event had told its other id by then: an idle program was not measured, for as long as it waited on.
    @Test func `what a process waits in as it is attached to is known`() throws {
      let report = try attach(
        to: "blocker cause=lock count=2 ms=300 gap=1500", seconds: 3, scratch: Scratch())
      let main = report["signals"]["mainThread"]
      #expect((main["blockedByCause"]["unknown"].double ?? 0) < 0.05, "\(main)")
      #expect((main["idleSeconds"].double ?? 0) > 1.5, "\(main)")
    }

    @Test func `a process in a namespace is attached to from outside`() throws {
      let target = try Command(Self.new + Self.words("blocker cause=lock count=30 ms=300 gap=200"))
      usleep(400_000)
      let children = try String(
        contentsOfFile: "/proc/\(target.pid)/task/\(target.pid)/children", encoding: .utf8)
      let pid = try #require(Int(children.split(separator: " ").first ?? ""))
      let scratch = try Scratch()
      let result = try Command.run([
        Machine.lull, "record", "-q", "--pid", "\(pid)", "--duration", "3s", "-o",
        scratch.file("t"),
      ])
      kill(pid_t(pid), SIGKILL)
      try #require(result.status == 0, "\(result.errors)")
      let report = try Recorded.report(scratch.file("t"))
      #expect(report["process"]["pid"].int == pid)
      let hangs = report["signals"]["mainThread"]["hangs"].items
      #expect((5...7).contains(hangs.count), "\(hangs.count) hangs")
    }

    @Test(
      .enabled(if: Machine.hasPerf, Machine.needsPerf),
      .enabled(if: PerfBeside.clearCPU != nil, PerfBeside.needsClearCPU))
    func `what perf recorded in a namespace is read as its own`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("perf.data")
      let words = [
        "perf", "record", "-q", "-a", "-m", "16M", "-k", "CLOCK_MONOTONIC", "-e",
        "sched:sched_switch", "-e",
        "sched:sched_waking", "-o", trace, "--",
      ]
      let pinned = ["taskset", "-c", "\(try #require(PerfBeside.clearCPU))"]
      let result = try Command.run(
        Self.new + words + pinned + Self.words("poller hz=50 seconds=2"))
      try #require(result.status == 0, "\(result.errors)")
      let report = try Recorded.report(trace, options: ["--process", "lull-workload"])
      #expect((report["signals"]["wakeups"]["idle"].int ?? 0) >= 95, "\(report["signals"])")
      let text = try Command.run(["perf", "script", "-i", trace, "-F", "+pid"])
      let script = scratch.file("perf.txt")
      try text.output.write(to: URL(fileURLWithPath: script))
      let read = try Recorded.report(script, options: ["--process", "lull-workload"])
      #expect((read["signals"]["wakeups"]["total"].int ?? 0) >= 95, "\(read["signals"])")
      let seconds = [report, read].map { $0["signals"]["cpu"]["totalSeconds"].double ?? -1 }
      // The text tells neither of the run before the first event nor of the exec, before which nothing counts.
      #expect(seconds[0] > 0 && (0.5...1.5).contains(seconds[1] / seconds[0]), "\(seconds)")
    }

    @Test func `a budget is broken in a namespace as outside`() throws {
      let scratch = try Scratch()
      let budget = scratch.file("lull.toml")
      try "[[budget]]\npath = \"signals.mainThread.hangs.count\"\nmax = 0\n".write(
        toFile: budget, atomically: true, encoding: .utf8)
      for place in [[], Self.new] {
        let run = try Recorded(workload: "blocker cause=lock count=3 ms=300 gap=200", in: place)
        let check = try Command.run([Machine.lull, "check", run.trace, "--budget", budget])
        #expect(check.status == 2, "\(check.text)")
      }
    }

    @Test func `a /proc of another namespace is refused, with what to do`() throws {
      let scratch = try Scratch()
      let result = try Command.run(
        ["unshare", "-p", "-f", Machine.lull, "record", "-o", scratch.file("t"), "--", "true"])
      #expect(result.status == 125)
      #expect(result.errors.contains("mount -t proc proc /proc"), "\(result.errors)")
    }
  }
}
