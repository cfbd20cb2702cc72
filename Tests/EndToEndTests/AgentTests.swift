import Foundation
import TestSupport
import Testing
import TraceModel

extension EndToEnd {
  /// Recordings of running programs that link LullAgent, by the programs themselves.
  @Suite(.enabled(if: Rung.areThere, Rung.needsTools))
  struct Agent {
    /// Attaches to a program that was started before, in a place with few rights; it may wait for that.
    private func attach(
      _ words: [String], in rung: Rung, program: String = Machine.agentWorkload,
      options: [String] = [], waits: Bool = false
    ) throws -> Recorded {
      let scratch = try Scratch()
      let run = try Recorded(
        attachedTo: [program]
          + words.map { $0.replacing("PATH", with: scratch.file("target")) },
        in: rung.words(writingTo: scratch), options: options, reportOptions: options,
        environment: waits ? ["LULL_WORKLOAD_WAIT": "1"] : [:], scratch: scratch)
      #expect(
        run.report["capture"]["privilege"].string?.contains("recorded by the program itself")
          == true,
        "\(run.report["capture"])")
      return run
    }

    private func attach(
      _ workload: String, in rung: Rung, program: String = Machine.agentWorkload
    ) throws -> Recorded {
      try attach(workload.split(separator: " ").map(String.init), in: rung, program: program)
    }

    private static let exact: [LadderWorkload] = [
      .poller, .appender, .rewriter, .atomicSaver, .chatty, .bursty, .steady,
    ]

    @Test(arguments: exact)
    func `what a program did since it is recorded is told exactly`(workload: LadderWorkload) throws
    {
      let rung = [Rung.user, .dockerUser][(Self.exact.firstIndex(of: workload) ?? 0) % 2]
      let run = try attach(
        workload.words(path: "PATH"), in: rung, options: workload.options, waits: true)
      try workload.expect(run, "\(rung)", isWhole: false)
    }

    private static let causes = [
      ("sleep", "sleep"), ("lock", "lock"), ("network", "network"), ("file", "file"),
      ("semaphore", "lock"), ("child", "child"),
    ]
    private static let blockers: [(Rung, (workload: String, cause: String))] =
      causes.enumerated().map { ($0 % 2 == 0 ? .user : .dockerUser, $1) }
      + [(.yama, causes[3]), (.kubernetes, causes[0])]

    @Test(arguments: blockers)
    func `what blocks the main thread is told, with its function`(
      rung: Rung, cause: (workload: String, cause: String)
    ) throws {
      try expectHangs(cause, in: rung, program: Machine.agentWorkload)
    }

    @Test(.enabled(if: Machine.tool("swift") != nil, "needs swift to build the program"))
    func `with the Swift runtime in it a program is recorded by itself as well`() throws {
      let program = try TestPackage.staticRuntime.program("lull-workload-agent")
      try expectHangs(Self.causes[3], in: .user, program: program)
    }

    private func expectHangs(
      _ cause: (workload: String, cause: String), in rung: Rung, program: String
    ) throws {
      let run = try attach(
        "blocker cause=\(cause.workload) count=3 ms=300 gap=900", in: rung, program: program)
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, length) in zip(run.hangs, run.trueSpans) {
        expectBlame(hang, lasts: length, waitsFor: cause.cause)
      }
      // It waited for its first timer as the recording began.
      let unknown = run.report["signals"]["mainThread"]["blockedByCause"]["unknown"].double ?? 0
      #expect(unknown < 0.01, "\(run.report["signals"]["mainThread"])")
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `programs that it starts are recorded as well`(rung: Rung) throws {
      let run = try attach("blocker cause=child count=3 ms=300 gap=900", in: rung)
      let children = run.report["processes"].items.filter { $0["name"].string == "sleep" }
      #expect(children.count == 3, "\(run.report["processes"])")
      // Each sleeps once, and does nothing else for which it waits.
      for child in children { #expect(child["wakeups"].int == 1, "\(child)") }
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `computing is running time, with the function that computes`(rung: Rung) throws {
      let run = try attach("blocker cause=compute count=3 ms=300 gap=900", in: rung)
      try #require(run.hangs.count == 3, "\(run.mainThread)")
      for (hang, (length, cpu)) in zip(run.hangs, zip(run.trueSpans, run.trueCPU)) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < 0.005, "\(hang) of \(length)")
        #expect(isNear(hang["runningSeconds"].double, cpu, slack: 0.01), "\(hang) with \(cpu)")
        #expect(
          hang["stack"].items.contains {
            $0["function"].string?.hasPrefix("computeOnThisThread") == true
          }, "\(hang)")
      }
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `a program's own marks and intervals are recorded`(rung: Rung) throws {
      let run = try attach("marker count=6 ms=200 mb=16", in: rung)
      let lengths = run.report["intervals"].items.filter { $0["name"].string == "work" }
        .compactMap { $0["durationSeconds"].double }
      #expect(lengths.count >= 3, "\(run.report["intervals"])")
      for length in lengths.dropFirst() {
        #expect(
          run.truth["spans"].items.contains {
            abs((($0["endNs"].double ?? 0) - ($0["startNs"].double ?? 0)) / 1e9 - length) < 0.005
          }, "\(length): \(run.truth)")
      }
    }

    /// A program of the agent's form that runs until the test ends it.
    private func start(_ workload: String) throws -> Command {
      let target = try Command(
        [Machine.agentWorkload] + workload.split(separator: " ").map(String.init))
      for _ in 0..<400 where doors(of: target.pid).isEmpty { usleep(5000) }
      usleep(200_000)
      return target
    }

    /// The lines of a process's mappings that are the agent's.
    private func mappings(of pid: Int32) -> [String] {
      let file = FileHandle(forReadingAtPath: "/proc/\(pid)/maps")
      let text = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
      return text.split(separator: "\n").map(String.init).filter { $0.contains("/dev/shm/lull-") }
    }

    private func doors(of pid: Int32) -> [String] {
      mappings(of: pid).filter { $0.contains("/lull-agents-") }
    }

    private func rings(of pid: Int32) -> [String] {
      mappings(of: pid).filter { !$0.contains("/lull-agents-") }
    }

    private func timers(of pid: Int32) -> String {
      (try? String(contentsOfFile: "/proc/\(pid)/timers", encoding: .utf8)) ?? "not there"
    }

    private func threads(of pid: Int32) -> Int {
      ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []).count
    }

    private func wait(upTo seconds: Double, for condition: () -> Bool) {
      for _ in 0..<Int(seconds * 100) where !condition() { usleep(10_000) }
    }

    @Test func `nothing is in the program but a page until it is asked, and after that`() throws {
      let scratch = try Scratch()
      // The same program without the agent has as many threads.
      let words = ["appender", "writes=2000", "gap=5", "path=\(scratch.file("log"))"]
      let other = try Command([Machine.workload] + words)
      let target = try start(words.joined(separator: " "))
      func expectNothing(_ when: String) {
        #expect(threads(of: target.pid) == threads(of: other.pid), "\(when)")
        #expect(rings(of: target.pid).isEmpty, "\(when)")
        #expect(timers(of: target.pid).isEmpty, "\(when)")
        #expect(doors(of: target.pid).count == 1, "\(when)")
      }
      expectNothing("before")
      for number in 1...3 {
        let recorder = try Command([
          Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)",
          "-o", scratch.file("t\(number)"),
        ])
        wait(upTo: 3) { !timers(of: target.pid).isEmpty }
        usleep(200_000)
        #expect(rings(of: target.pid).count == 1)
        #expect(!timers(of: target.pid).isEmpty)
        #expect(threads(of: target.pid) == threads(of: other.pid))
        kill(recorder.pid, SIGINT)
        #expect(try recorder.finish().status == 0)
        wait(upTo: 1) { rings(of: target.pid).isEmpty }
        expectNothing("after \(number)")
      }
      kill(target.pid, SIGTERM)
      kill(other.pid, SIGTERM)
    }

    /// Stops a program while it waits: as a write returns that is in the file, but not told before it goes on.
    private func stopAsleep(_ pid: pid_t) throws {
      for _ in 0..<100 {
        kill(pid, SIGSTOP)
        usleep(50_000)
        let call = try String(contentsOfFile: "/proc/\(pid)/syscall", encoding: .utf8)
        // ppoll's number on x86-64 and arm64: its first thread waits for its timer by that.
        if ["271", "73"].contains(call.split(separator: " ").first) { return }
        kill(pid, SIGCONT)
        usleep(1_000)
      }
      Issue.record("it was never stopped while it waits")
    }

    @Test func `what is written while it is recorded is counted exactly`() throws {
      let scratch = try Scratch()
      let path = scratch.file("log")
      func size() -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
      }
      // A file's size, while the program stands still, is what was written before and after.
      let target = try start("appender writes=100000 bytes=33 gap=1 path=\(path)")
      try stopAsleep(target.pid)
      let before = size()
      let trace = scratch.file("t")
      let recorder = try Command([
        Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)", "-o",
        trace,
      ])
      usleep(700_000)
      #expect(size() == before && before > 0)
      kill(target.pid, SIGCONT)
      usleep(1_000_000)
      try stopAsleep(target.pid)
      let after = size()
      kill(recorder.pid, SIGINT)
      #expect(try recorder.finish().status == 0)
      kill(target.pid, SIGKILL)
      let report = try Recorded.report(trace)
      let file = report["signals"]["disk"]["files"].items.first { $0["path"].string == path }
      #expect(after - before > 33 * 100)
      #expect(file?["bytesWritten"].int == after - before, "\(report["signals"]["disk"])")
      #expect(file?["writes"].int == (after - before) / 33, "\(report["signals"]["disk"])")
      #expect(report["trace"]["lostEvents"].int == 0)
    }

    @Test func `a recorder that is killed leaves nothing in the program`() throws {
      let scratch = try Scratch()
      let target = try start("appender writes=100000 gap=2 path=\(scratch.file("log"))")
      func recorder(_ name: String) throws -> Command {
        try Command([
          Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)", "-o",
          scratch.file(name), "--duration", "1s",
        ])
      }
      let killed = try recorder("killed")
      wait(upTo: 3) { !rings(of: target.pid).isEmpty }
      #expect(!rings(of: target.pid).isEmpty)
      kill(killed.pid, SIGKILL)
      _ = try killed.finish()
      wait(upTo: 4) { rings(of: target.pid).isEmpty }
      #expect(rings(of: target.pid).isEmpty)
      #expect(timers(of: target.pid).isEmpty)
      // The next is as good as the first.
      #expect(try recorder("next").finish().status == 0)
      let report = try Recorded.report(scratch.file("next"))
      #expect((report["signals"]["disk"]["writes"].int ?? 0) > 200, "\(report["signals"]["disk"])")
      kill(target.pid, SIGKILL)
    }

    @Test func `what a program leaves that was killed is removed by the next recording`() throws {
      let scratch = try Scratch()
      func files() -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm/lull-agents-0")) ?? [])
      }
      let killed = try start("appender writes=100000 gap=2 path=\(scratch.file("first"))")
      kill(killed.pid, SIGKILL)
      _ = try killed.finish()
      #expect(files().contains { $0.hasPrefix("\(killed.pid)-") })
      let target = try start("appender writes=100000 gap=2 path=\(scratch.file("second"))")
      let recorded = try Command.run([
        Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)", "-o",
        scratch.file("t"), "--duration", "100ms",
      ])
      #expect(recorded.status == 0, "\(recorded.errors)")
      #expect(!files().contains { $0.hasPrefix("\(killed.pid)-") })
      #expect(files().contains { $0.hasPrefix("\(target.pid)-") })
      kill(target.pid, SIGKILL)
    }

    @Test func `a second recorder is refused as long as there is a first`() throws {
      let scratch = try Scratch()
      let target = try start("appender writes=100000 gap=2 path=\(scratch.file("log"))")
      func words(_ name: String) -> [String] {
        [
          Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)", "-o",
          scratch.file(name), "--duration", "1s",
        ]
      }
      let first = try Command(words("first"))
      wait(upTo: 3) { !rings(of: target.pid).isEmpty }
      let second = try Command.run(words("second"))
      #expect(second.status != 0)
      #expect(
        second.errors.contains("is being recorded by another recorder (process \(first.pid))"),
        "\(second.errors)")
      #expect(!FileManager.default.fileExists(atPath: scratch.file("second")))
      #expect(try first.finish().status == 0)
      #expect(try Command.run(words("third")).status == 0)
      kill(target.pid, SIGKILL)
    }

    @Test func `another user is refused`() throws {
      let scratch = try Scratch()
      let target = try start("appender writes=100000 gap=2 path=\(scratch.file("log"))")
      let door = try #require(doors(of: target.pid).first?.split(separator: " ").last)
      let other = try Command.run(
        Rung.user.words(writingTo: scratch) + [
          Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)", "-o",
          scratch.file("t"), "--duration", "1s",
        ])
      #expect(other.status != 0)
      #expect(other.errors.contains("belongs to another user"), "\(other.errors)")
      #expect(rings(of: target.pid).isEmpty)
      let read = try Command.run(
        Rung.user.words(writingTo: scratch) + ["sh", "-c", "cat \(door)"])
      #expect(read.output.isEmpty && read.status != 0)
      kill(target.pid, SIGKILL)
    }

    /// Records a program of C that runs already, for a time.
    private func record(
      _ source: String, _ words: [String] = [], for time: String, options: [String] = []
    ) throws -> JSON {
      let scratch = try Scratch()
      let program = try InProcessConduct.build(source, "program", .own, scratch)
      let target = try Command([program] + words)
      usleep(300_000)
      let recorder = try Command.run(
        [
          Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)", "-o",
          scratch.file("t"), "--duration", time,
        ] + options)
      #expect(recorder.status == 0, "\(recorder.errors)")
      kill(target.pid, SIGKILL)
      return try Recorded.report(scratch.file("t"))
    }

    @Test func `threads that make no call all the time are told with what they do`() throws {
      // One waits from before the recording until after it, one computes.
      let report = try record(
        """
        #include <pthread.h>
        #include <unistd.h>
        static __attribute__((noinline)) void *waits_long(void *unused) {
          sleep(1000);
          return unused;
        }
        static __attribute__((noinline)) unsigned computes_long(void) {
          volatile unsigned sum = 0;
          while (1) sum++;
          return sum;
        }
        int main(void) {
          pthread_t thread;
          pthread_create(&thread, NULL, waits_long, NULL);
          return computes_long();
        }
        """, for: "2s")
      let length = report["trace"]["durationSeconds"].double ?? 0
      #expect(length > 1.9)
      let blocked = report["blame"]["blocked"].items
        .first { $0["function"].string == "waits_long" }
      let waited = blocked?["selfSeconds"].double ?? 0
      #expect(abs(waited - length) < 0.1, "\(report["blame"]["blocked"]) of \(length)")
      let computed = report["blame"]["cpu"].items.first { $0["function"].string == "computes_long" }
      // The first sample comes once the thread was found to run.
      #expect((computed?["selfSeconds"].double ?? 0) > 0.7 * length, "\(report["blame"]["cpu"])")
    }

    @Test(arguments: [true, false])
    func `a child that runs the same program is recorded with it, unless it is not to be`(
      takesChildren: Bool
    ) throws {
      let report = try record(
        """
        #include <fcntl.h>
        #include <unistd.h>
        #include <stdio.h>
        #include <string.h>
        int main(int count, char **words) {
          const char *text = fork() == 0 ? "a child" : "parent";
          char path[300];
          snprintf(path, sizeof path, "%s-%s", words[0], text);
          int file = open(path, O_WRONLY | O_CREAT, 0600);
          for (int i = 0; i < 10000; i++) {
            write(file, text, strlen(text));
            usleep(10000);
          }
        }
        """, for: "1s", options: takesChildren ? [] : ["--no-children"])
      let bytes = report["processes"].items.compactMap { $0["bytesWritten"].int }.filter { $0 > 0 }
      #expect(bytes.count == (takesChildren ? 2 : 1), "\(report["processes"])")
      #expect(bytes.contains { $0 % 6 == 0 && $0 > 6 * 50 }, "\(report["processes"])")
      // One number may be a multiple of both.
      #expect(!takesChildren || bytes.contains { $0 % 7 == 0 && $0 > 7 * 50 })
    }

    // They were not even named.
    @Test func `static programs that it starts, and had started, are looked at from outside`()
      throws
    {
      let scratch = try Scratch()
      let child = try scratch.program(
        "static",
        """
        #include <time.h>
        #include <unistd.h>
        int main(void) {
          usleep(1000000);
          while (clock() < CLOCKS_PER_SEC / 5) {}
          usleep(300000);
        }
        """, ["-static"])
      let report = try record(
        """
        #include <unistd.h>
        int main(int count, char **words) {
          for (int i = 0; i < 2; i++) {
            if (fork() == 0) return execv(words[1], words + 1);
            usleep(800000);
          }
          pause();
        }
        """, [child], for: "3s")
      let rows = report["processes"].items.filter { $0["name"].string == "static" }
      #expect(rows.count == 2, "\(report["processes"])")
      for row in rows {
        #expect(row["isLookedAt"].bool == true && row["wakeups"].int == nil, "\(row)")
        // On a busy machine some of its time in queues is taken for running.
        #expect((row["cpuSeconds"].double ?? 0) > 0.17, "\(row)")
      }
    }

    @Test func `a program without an agent is said to have none`() throws {
      let scratch = try Scratch()
      let target = try Command(["sleep", "20"])
      let run = try Command.run([
        Machine.lull, "record", "-q", "--recorder", "process", "--pid", "\(target.pid)", "-o",
        scratch.file("t"),
      ])
      #expect(run.status != 0)
      #expect(run.errors.contains("process \(target.pid) has no agent"), "\(run.errors)")
      kill(target.pid, SIGKILL)
    }

    @Test func `preloaded, a program with an agent is recorded as any other`() throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [Machine.agentWorkload, "blocker", "cause=file", "count=2", "ms=300", "gap=200"],
        in: Rung.user.words(writingTo: scratch), scratch: scratch)
      #expect(
        run.report["capture"]["privilege"].string?.contains("recorded within the process") == true)
      try #require(run.hangs.count == 2, "\(run.mainThread)")
      #expect(run.hangs.allSatisfy { ($0["blockedByCause"]["file"].double ?? 0) > 0.1 })
      let marks = try Recorded(
        [Machine.agentWorkload, "marker", "count=2", "ms=50", "mb=1"],
        in: Rung.user.words(writingTo: scratch))
      #expect(marks.report["marks"].items.count == 2, "\(marks.report["marks"])")
    }
  }
}
