import Foundation
import Testing

extension EndToEnd {
  /// Recordings by a library in the program, where the kernel's events are not to be had.
  @Suite(.enabled(if: Rung.areThere, Rung.needsTools))
  struct InProcess {
    private static let causes = [
      ("sleep", "sleep"), ("lock", "lock"), ("network", "network"), ("file", "file"),
      ("semaphore", "lock"), ("child", "child"),
    ]

    /// Every cause for a plain user, and one of them for each other.
    private static let blockers: [(Rung, (workload: String, cause: String))] =
      causes.map { (.user, $0) } + zip(Rung.allCases.dropFirst(), causes + causes)

    /// One workload for each of some rungs.
    private static func turns(_ workloads: [String], from first: Rung) -> [(Rung, String)] {
      let rungs = Rung.allCases.drop { $0 != first }
      return workloads.map { (.user, $0) } + zip(rungs, workloads)
    }

    private func record(
      _ rung: Rung, _ workload: String, options: [String] = [], reportOptions: [String] = []
    ) throws -> Recorded {
      let scratch = try Scratch()
      let run = try Recorded(
        workload: workload.replacing("PATH", with: scratch.file("target")),
        in: rung.words(writingTo: scratch), options: options, reportOptions: reportOptions,
        scratch: scratch)
      #expect(
        run.report["capture"]["privilege"].string?.contains("recorded within the process") == true)
      // They are not looked at, which is no count of none.
      #expect(run.signals["concurrency"]["jobs"].int == nil)
      return run
    }

    @Test(arguments: blockers)
    func `what blocks the main thread is told, with its function`(
      rung: Rung, cause: (workload: String, cause: String)
    ) throws {
      let run = try record(rung, "blocker cause=\(cause.workload) count=3 ms=300 gap=200")
      let hangs = run.hangs
      try #require(hangs.count == 3, "\(run.mainThread)")
      for (hang, length) in zip(hangs, run.trueSpans) {
        expectBlame(hang, lasts: length, waitsFor: cause.cause)
      }
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `the main queue is found on its workers`(rung: Rung) throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [Machine.asyncWorkload, "mode=dispatch", "count=3", "ms=300", "gap=200"],
        in: rung.words(writingTo: scratch), scratch: scratch)
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, length) in zip(run.hangs, run.trueSpans) {
        #expect(isNear(hang["blockedByCause"]["sleep"].double, length), "\(hang) of \(length)")
      }
      #expect(run.audit("main-thread-hangs")["status"].string == "fail")
      #expect((run.mainThread["launchSeconds"].double ?? 9) < 1, "\(run.mainThread)")
    }

    @Test(arguments: [Rung.user, .dockerRoot, .systemd])
    func `computing is running time, with the function that computes`(rung: Rung) throws {
      let run = try record(rung, "blocker cause=compute count=3 ms=300 gap=200")
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, (length, cpu)) in zip(run.hangs, zip(run.trueSpans, run.trueCPU)) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < 0.005, "\(hang) of \(length)")
        #expect(isNear(hang["runningSeconds"].double, cpu, slack: 0.01), "\(hang) with \(cpu)")
        #expect(
          hang["stack"].items.contains {
            $0["function"].string?.hasPrefix("computeOnThisThread") == true
          }, "\(hang)")
      }
      let places = run.report["blame"]["cpu"].items
      let computing = places.filter {
        $0["file"].string?.hasSuffix("BlockingCalls.swift") == true
          || $0["function"].string?.hasPrefix("clock") == true
      }
      let told = computing.compactMap { $0["selfSeconds"].double }.reduce(0, +)
      let truth = run.trueCPU.reduce(0, +)
      #expect(abs(told - truth) < 0.1 * truth, "\(told) of \(truth): \(places)")
    }

    @Test(arguments: [Rung.user, .kubernetes])
    func `a poller's timer is found with its function, and each wakeup`(rung: Rung) throws {
      let run = try record(rung, "poller hz=50 seconds=2")
      let wakeups = run.signals["wakeups"]
      let timer = wakeups["timers"].items.max { ($0["count"].int ?? 0) < ($1["count"].int ?? 0) }
      #expect(isNear(timer?["periodSeconds"].double, 0.02, slack: 0.0005), "\(wakeups)")
      #expect((timer?["count"].int ?? 0) >= 90)
      #expect(
        timer?["stack"].items.contains {
          $0["function"].string?.contains("Lifecycle.poller") == true
        } == true, "\(wakeups)")
      // The kernel's own count; what is before the library is loaded and after it is left is not seen.
      let slept = run.truth["usage"]["voluntarySwitches"].int ?? 0
      #expect(abs((wakeups["total"].int ?? 0) - slept) <= 5, "\(wakeups) of \(slept)")
    }

    @Test(arguments: [Rung.user, .yama])
    func `waits too short to be told are wakeups too`(rung: Rung) throws {
      let run = try record(rung, "rally rounds=100", options: ["--radio-loopback"])
      let slept = run.truth["usage"]["voluntarySwitches"].double ?? 0
      let told = run.signals["wakeups"]["total"].double ?? 0
      try #require(slept > 1000)
      let missing = run.report["capture"]["unavailable"].items.contains {
        $0["signal"].string == "wakeups" && $0["reason"].string?.contains("are not among") == true
      }
      #expect(abs(told - slept) < 0.05 * slept || (missing && told < slept), "\(told) of \(slept)")
    }

    @Test(arguments: [Rung.user, .dockerENOSYS])
    func `the time from SIGTERM to the end is measured`(rung: Rung) throws {
      let run = try record(rung, "terminator ms=700 after=300")
      let seconds = run.mainThread["terminationSeconds"].double
      #expect(isNear(seconds, run.truth["seconds"].double ?? -1, slack: 0.01), "\(run.mainThread)")
    }

    @Test(arguments: [Rung.user, .paranoid4])
    func `a program's own marks and intervals are recorded`(rung: Rung) throws {
      let run = try record(rung, "marker count=3 ms=120 mb=16")
      let marks = run.report["marks"].items
      #expect(marks.compactMap { $0["name"].string } == ["ready", "background"])
      #expect(marks.allSatisfy { $0["how"].string == "library" })
      let intervals = run.report["intervals"].items.filter { $0["name"].string == "work" }
      let lengths = intervals.compactMap { $0["durationSeconds"].double }
      try #require(lengths.count == 3)
      for (length, truth) in zip(lengths, run.trueSpans) {
        #expect(isNear(length, truth, slack: 0.005), "\(length) s, the program says \(truth) s")
      }
    }

    @Test(
      .enabled(if: Machine.hasStrace, Machine.needsStrace),
      arguments: turns(
        [
          "appender writes=40 bytes=33 gap=1", "rewriter times=5 bytes=20000 gap=1",
          "atomic-saver times=5 bytes=10000 gap=1", "sqlite rows=6 gap=1",
        ], from: .kubernetes))
    func `writes, bytes and syncs of each path equal strace's`(
      rung: Rung, workload: String
    ) throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let words =
        [Machine.workload] + workload.split(separator: " ").map(String.init) + ["path=\(target)"]
      let expected = try Strace.files(of: words, scratch: scratch)
        .filter { $0.key.hasPrefix(scratch.path) }
      try #require(!expected.isEmpty)
      for path in expected.keys where path != scratch.path { unlink(path) }
      unlink(target)
      let run = try Recorded(words, in: rung.words(writingTo: scratch), scratch: scratch)
      for (path, activity) in expected {
        let file = run.file(path)
        let measured = FileActivity(
          writes: file["writes"].int ?? -1, bytes: file["bytesWritten"].int ?? -1,
          syncs: file["syncs"].int ?? -1)
        #expect(measured == activity, "\(path): \(run.signals["disk"])")
      }
    }

    @Test(
      arguments: turns(
        [
          "chatty messages=40 bytes=123 reply=456 gap=5",
          "bursty bursts=3 messages=20 bytes=2000 reply=3000 gap=1700",
        ], from: .dockerUser))
    func `bytes sent and received equal the program's own`(rung: Rung, workload: String) throws {
      let run = try record(
        rung, workload, options: ["--radio-loopback"], reportOptions: ["--radio-loopback"])
      let network = run.signals["network"]
      for key in ["bytesSent", "bytesReceived", "sends", "receives"] {
        #expect(network[key].int == run.truth[key].int, "\(key): \(network)")
      }
      #expect(network["connections"].items.isEmpty == false)
      #expect(network["bursts"].items.count == (workload.hasPrefix("bursty") ? 3 : 1))
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `a program runs as it does alone`(rung: Rung) throws {
      let script =
        "echo out; echo err >&2; read line; echo got $line; (sleep 0.05; exit 3); echo $?; kill -TERM $$"
      let words = ["sh", "-c", script]
      let scratch = try Scratch()
      let place = rung.words(writingTo: scratch)
      let alone = try Command.run(place + words, input: "in\n")
      let recorded = try Command.run(
        place + [Machine.lull, "record", "-q", "-o", scratch.file("t"), "--"] + words,
        input: "in\n")
      #expect(recorded.text == alone.text)
      #expect(recorded.errors == alone.errors)
      #expect(recorded.status == 128 + SIGTERM)
    }
  }
}
