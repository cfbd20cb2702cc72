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

    @Test(arguments: Rung.unprivileged, causes)
    func `what blocks the main thread is told, with its function`(
      rung: Rung, cause: (String, String)
    ) throws {
      let run = try Recorded(
        workload: "blocker cause=\(cause.0) count=3 ms=300 gap=300", in: rung.words)
      #expect(
        run.report["capture"]["privilege"].string?.contains("recorded within the process") == true)
      let hangs = run.hangs
      try #require(hangs.count == 3, "\(run.mainThread)")
      for (hang, length) in zip(hangs, run.trueSpans) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < 0.005, "\(hang) of \(length)")
        #expect(
          hang["stack"].items.contains { $0["module"].string?.contains("lull-workload") == true },
          "\(hang)")
        let causes = hang["blockedByCause"]
        let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
        #expect((causes[cause.1].double ?? 0) > 0.9 * blocked, "\(hang)")
      }
    }

    @Test(arguments: Rung.unprivileged)
    func `the main queue is found on its workers`(rung: Rung) throws {
      let run = try Recorded(
        [Machine.asyncWorkload, "mode=dispatch", "count=3", "ms=300", "gap=200"], in: rung.words)
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, length) in zip(run.hangs, run.trueSpans) {
        #expect(isNear(hang["blockedByCause"]["sleep"].double, length), "\(hang) of \(length)")
      }
      #expect(run.audit("main-thread-hangs")["status"].string == "fail")
    }

    @Test(arguments: Rung.unprivileged)
    func `computing is running time`(rung: Rung) throws {
      let run = try Recorded(
        workload: "blocker cause=compute count=3 ms=300 gap=300", in: rung.words)
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, (length, cpu)) in zip(run.hangs, zip(run.trueSpans, run.trueCPU)) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < 0.005, "\(hang) of \(length)")
        #expect(isNear(hang["runningSeconds"].double, cpu, slack: 0.01), "\(hang) with \(cpu)")
      }
    }

    @Test(
      .enabled(if: Machine.hasStrace, Machine.needsStrace),
      arguments: Rung.unprivileged,
      [
        "appender writes=40 bytes=33 gap=1", "rewriter times=5 bytes=20000 gap=1",
        "atomic-saver times=5 bytes=10000 gap=1", "sqlite rows=6 gap=1",
      ])
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
      let run = try Recorded(words, in: rung.words, scratch: scratch)
      for (path, activity) in expected {
        let file = run.file(path)
        let measured = FileActivity(
          writes: file["writes"].int ?? -1, bytes: file["bytesWritten"].int ?? -1,
          syncs: file["syncs"].int ?? -1)
        #expect(measured == activity, "\(path): \(run.signals["disk"])")
      }
    }

    @Test(
      arguments: Rung.unprivileged,
      [
        "chatty messages=40 bytes=123 reply=456 gap=5",
        "bursty bursts=3 messages=20 bytes=2000 reply=3000 gap=100",
      ])
    func `bytes sent and received equal the program's own`(rung: Rung, workload: String) throws {
      let run = try Recorded(
        workload: workload, in: rung.words, options: ["--radio-loopback"],
        reportOptions: ["--radio-loopback"])
      let network = run.signals["network"]
      for key in ["bytesSent", "bytesReceived", "sends", "receives"] {
        #expect(network[key].int == run.truth[key].int, "\(key): \(network)")
      }
      #expect(network["connections"].items.isEmpty == false)
    }

    @Test(arguments: Rung.unprivileged)
    func `a program runs as it does alone`(rung: Rung) throws {
      let script =
        "echo out; echo err >&2; read line; echo got $line; (sleep 0.05; exit 3); echo $?; kill -TERM $$"
      let words = ["sh", "-c", script]
      let alone = try Command.run(rung.words + words, input: "in\n")
      let scratch = try Scratch()
      let recorded = try Command.run(
        rung.words + [Machine.lull, "record", "-q", "-o", scratch.file("t"), "--"] + words,
        input: "in\n")
      #expect(recorded.text == alone.text)
      #expect(recorded.errors == alone.errors)
      #expect(recorded.status == 128 + SIGTERM)
    }

    @Test func `what runs already cannot be recorded from within`() throws {
      let scratch = try Scratch()
      let result = try Command.run([
        Machine.lull, "record", "-q", "--recorder", "process", "-o", scratch.file("t"), "--pid",
        "1",
      ])
      #expect(result.status == 125)
      #expect(result.errors.contains("--recorder process"))
    }
  }
}
