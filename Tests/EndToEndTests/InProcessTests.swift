import Foundation
import Testing

extension EndToEnd {
  /// Recordings by a library in the program, where the kernel's events are not to be had.
  @Suite(.enabled(if: Rung.areThere, Rung.needsTools))
  struct InProcess {
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

    @Test func `samples are told with the functions that compute, as long as they did`() throws {
      let run = try record(.user, "blocker cause=compute count=3 ms=300 gap=200")
      let places = run.report["blame"]["cpu"].items
      let computing = places.filter {
        $0["file"].string?.hasSuffix("BlockingCalls.swift") == true
          || $0["function"].string?.hasPrefix("clock") == true
      }
      let told = computing.compactMap { $0["selfSeconds"].double }.reduce(0, +)
      let truth = run.trueCPU.reduce(0, +)
      #expect(abs(told - truth) < 0.1 * truth, "\(told) of \(truth): \(places)")
    }

    @Test func `a timer is found where others want the CPU too`() throws {
      let others = try (0..<6).map { _ in try Command(["sh", "-c", "while :; do :; done"]) }
      let run = try record(.user, "poller hz=50 seconds=2")
      for other in others { kill(other.pid, SIGKILL) }
      let timers = run.signals["wakeups"]["timers"].items
      let timer = timers.max { ($0["count"].int ?? 0) < ($1["count"].int ?? 0) }
      #expect(isNear(timer?["periodSeconds"].double, 0.02, slack: 0.0005), "\(timers)")
      #expect((timer?["count"].int ?? 0) >= 85, "\(timers)")
      // When it had no CPU it did not wait for the timer.
      let status = run.mainThread
      #expect((status["runnableSeconds"].double ?? 0) > 0.01, "\(status)")
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
      #expect((run.signals["wakeups"]["isLeast"].bool == true) == missing)
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
      arguments: ["atomic-saver times=5 bytes=10000 gap=1 how=foundation", "sqlite rows=6 gap=1"])
    func `writes, bytes and syncs of each path equal strace's`(workload: String) throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let words =
        [Machine.workload] + workload.split(separator: " ").map(String.init) + ["path=\(target)"]
      let expected = try Strace.files(of: words, scratch: scratch)
        .filter { $0.key.hasPrefix(scratch.path) }
      try #require(!expected.isEmpty)
      for path in expected.keys where path != scratch.path { unlink(path) }
      unlink(target)
      let run = try Recorded(words, in: Rung.user.words(writingTo: scratch), scratch: scratch)
      for (path, activity) in expected {
        let file = run.file(path)
        let measured = FileActivity(
          writes: file["writes"].int ?? -1, bytes: file["bytesWritten"].int ?? -1,
          syncs: file["syncs"].int ?? -1)
        #expect(measured == activity, "\(path): \(run.signals["disk"])")
      }
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `of the time that a program blocks in fourteen ways 97 of 100 have their function`(
      rung: Rung
    ) throws {
      let scratch = try Scratch()
      let rounds = 40
      let run = try BlockingRun(
        Machine.built("lull-workload-blocking"), scratch, in: rung.words(writingTo: scratch),
        rounds: rounds)
      try #require(run.spans.count == 14)
      var sums = (all: 0.0, named: 0.0)
      for span in run.spans {
        let (all, named) = run.blockedSeconds(span)
        sums.all += all
        sums.named += named
        // Each of these waits for 2 ms a round at least.
        let waiting = ["pipeRead", "usleep", "poll", "recv", "semaphore", "threadSleep"]
        guard waiting.contains(span.way) else { continue }
        #expect(named >= 0.97 * 0.002 * Double(rounds), "\(span.way): \(named) of \(all) s")
      }
      #expect(sums.named >= 0.97 * sums.all, "\(sums.named) of \(sums.all) s")
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
