import Foundation
import PerfData
import Testing
import TraceModel

extension EndToEnd {
  /// Programs in the kernel and perf events tell the same of the same program, and both what it says of itself.
  @Suite(.enabled(if: Machine.recordsInKernel, Machine.needsKernelPrograms))
  struct KernelRecorder {
    private static let recorders = ["perf", "kernel"]

    private static func record(
      _ workload: String, by recorder: String, options: [String] = [], reportOptions: [String] = []
    ) throws -> Recorded {
      let run = try Recorded(
        workload: workload, options: ["--recorder", recorder] + options,
        reportOptions: reportOptions)
      #expect(run.report["trace"]["lostEvents"].int == 0)
      return run
    }

    @Test(arguments: [
      ("sleep", "sleep"), ("lock", "lock"), ("semaphore", "lock"), ("network", "network"),
      ("child", "child"), ("file", "file"), ("fsync", "sync"), ("compute", ""),
    ])
    func `hangs have the same length, function and cause`(cause: String, name: String) throws {
      var functions: [Set<String>] = []
      for recorder in Self.recorders {
        let run = try Self.record("blocker cause=\(cause) count=3 ms=300 gap=300", by: recorder)
        let hangs = run.hangs
        try #require(hangs.count == 3, "\(recorder): \(run.mainThread)")
        for (hang, truth) in zip(hangs, run.trueSpans) {
          let late = 0.005 + (hang["runnableSeconds"].double ?? 0)
          #expect(
            abs((hang["durationSeconds"].double ?? 0) - truth) < late, "\(recorder): \(hang)")
          guard !name.isEmpty else { continue }
          let causes = hang["blockedByCause"]
          let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
          #expect((causes[name].double ?? 0) > 0.9 * blocked, "\(recorder): \(hang)")
        }
        functions.append(
          Set(
            hangs.compactMap { hang in
              hang["stack"].items.first { $0["module"].string?.contains("lull-workload") == true }?[
                "function"
              ].string
            }))
      }
      #expect(Set(functions).count == 1, "\(functions)")
      #expect(!functions[0].isEmpty)
    }

    // What was stopped in a wait for a child was one more such wait to the kernel's programs, and a tool was late for
    // its events as it went on.
    @Test(arguments: recorders) func `a program that is stopped in a call waits for nothing`(
      recorder: String
    ) throws {
      let program = """
        import os, signal, time
        own = os.getpid()
        for _ in range(3):
            child = os.fork()
            if child == 0:
                time.sleep(0.1)
                os.kill(own, signal.SIGSTOP)
                time.sleep(0.5)
                os.kill(own, signal.SIGCONT)
                os._exit(0)
            os.waitpid(child, 0)
        """
      let run = try Recorded(
        ["/usr/bin/python3", "-c", program], options: ["--recorder", recorder])
      let main = run.mainThread
      let child = main["blockedByCause"]["child"].double ?? 0
      #expect(child >= 0.3, "\(main)")
      // 1.5 s, by construction, of which no part is a wait.
      #expect((main["idleSeconds"].double ?? 0) > 2 * child, "\(main)")
      #expect(run.audit("resume-lag")["status"].string == "notApplicable")
    }

    // They were waits for a file, which the disk had ended.
    @Test(arguments: recorders) func `what others give or let go is no file of the disk`(
      recorder: String
    ) throws {
      let program = """
        import ctypes, fcntl, os, sys, time
        def after(work):
            child = os.fork()
            if child == 0:
                work()
                os._exit(0)
            return child
        def touch():
            time.sleep(0.3)
            open(sys.argv[1] + "/a", "w").close()
        def hold():
            fcntl.flock(os.open(sys.argv[1] + "/b", os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX)
            os.write(ready, b"x")
            time.sleep(0.3)
        libc = ctypes.CDLL(None)
        watch = libc.inotify_init()
        libc.inotify_add_watch(watch, sys.argv[1].encode(), 0x100)
        child = after(touch)
        os.read(watch, 4096)
        os.waitpid(child, 0)
        heard, ready = os.pipe()
        child = after(hold)
        os.read(heard, 1)
        fcntl.flock(os.open(sys.argv[1] + "/b", os.O_RDWR), fcntl.LOCK_EX)
        """
      let scratch = try Scratch()
      let folder = scratch.file("watched")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let run = try Recorded(
        ["/usr/bin/python3", "-c", program, folder], options: ["--recorder", recorder],
        scratch: scratch)
      let causes = run.mainThread["blockedByCause"]
      #expect((causes["ipc"].double ?? 0) >= 0.29, "\(causes)")
      #expect((causes["lock"].double ?? 0) >= 0.29, "\(causes)")
      #expect((causes["file"].double ?? 0) < 0.29, "\(causes)")
    }

    // It closed the last descriptors of events that the recorder had tried, and waited 200 ms for the kernel.
    @Test func `a program that begins waits for nothing of the recorder's`() throws {
      for recorder in Self.recorders {
        let run = try Recorded(["sleep", "0.3"], options: ["--recorder", recorder])
        let causes = run.mainThread["blockedByCause"]
        let others = causes.keys.filter { $0 != "sleep" }.compactMap { causes[$0].double }
        #expect((causes["sleep"].double ?? 0) >= 0.3, "\(recorder): \(causes)")
        #expect(others.reduce(0, +) < 0.08, "\(recorder): \(causes)")
      }
    }

    @Test func `wakeups by cause are the program's own`() throws {
      var found: [[String: Int]] = []
      for recorder in Self.recorders {
        let run = try Self.record("poller hz=100 seconds=2", by: recorder)
        let wakeups = run.signals["wakeups"]
        let causes = wakeups["byCause"]
        found.append(
          Dictionary(uniqueKeysWithValues: causes.keys.map { ($0, causes[$0].int ?? 0) }))
        let usage = run.truth["usage"]
        let slept = usage["voluntarySwitches"].int ?? 0
        #expect(abs((wakeups["total"].int ?? 0) - slept) <= 3 + slept / 50, "\(recorder): \(usage)")
        #expect(
          abs((wakeups["idle"].int ?? 0) - (causes["timer"].int ?? 0)) <= 10,
          "\(recorder): \(wakeups)")
      }
      #expect(abs((found[0]["timer"] ?? 0) - (found[1]["timer"] ?? 0)) <= 5, "\(found)")
    }

    @Test(arguments: [
      "chatty messages=40 bytes=123 reply=456 gap=5",
      "bursty bursts=3 messages=20 bytes=2000 reply=3000 gap=100",
    ])
    func `transfers are the program's own`(workload: String) throws {
      for recorder in Self.recorders {
        let run = try Self.record(
          workload, by: recorder, options: ["--radio-loopback"], reportOptions: ["--radio-loopback"]
        )
        for key in ["sends", "receives", "bytesSent", "bytesReceived"] {
          #expect(
            run.signals["network"][key].int == run.truth[key].int, "\(recorder): \(key)")
        }
      }
    }

    /// Tens of thousands of waits and transfers a second, of which perf events are sampled.
    @Test
    func `at full rate every transfer and run is told, and nothing is sampled`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "rally path=\(target)", options: ["--recorder", "kernel"], scratch: scratch)
      #expect(run.report["trace"]["lostEvents"].int == 0)
      for key in ["sends", "receives", "bytesSent", "bytesReceived"] {
        #expect(run.signals["network"][key].int == run.truth[key].int, "\(key)")
      }
      let trace = try Trace.load(path: run.trace)
      let names = Set((trace.capture?.sampled ?? []).map(\.source))
      #expect(
        names.isDisjoint(with: [
          "sock:sock_send_length", "sock:sock_recv_length", "sched:sched_switch",
        ]))
      let threads = trace.threads(of: trace.subject.pid)
      let runs = threads.flatMap(\.intervals).count { $0.state == .running }
      let usage = run.truth["usage"]
      let switches = (usage["voluntarySwitches"].int ?? 0) + (usage["involuntarySwitches"].int ?? 0)
      #expect(abs(runs - switches) <= 12 + switches / 100, "\(runs) runs, \(usage)")
      // Each that slept was woken, by somebody who is known.
      let wakes = trace.wakeups.count { $0.pid == trace.subject.pid && $0.context != .unknown }
      let slept = usage["voluntarySwitches"].int ?? 0
      #expect(abs(wakes - slept) <= 12 + slept / 50, "\(wakes) wakes, \(usage)")
    }

    @Test(arguments: [
      "appender writes=40 bytes=33 gap=1", "rewriter times=5 bytes=20000 gap=1",
      "atomic-saver times=5 bytes=10000 gap=1", "sqlite rows=6 gap=1",
      "sqlite rows=6 gap=1 journal=wal",
    ])
    func `files are told as perf's events tell them`(workload: String) throws {
      var found: [[String: [Int]]] = []
      for recorder in Self.recorders {
        let scratch = try Scratch()
        let run = try Recorded(
          workload: "\(workload) path=\(scratch.file("target"))",
          options: ["--recorder", recorder], scratch: scratch)
        let files = run.signals["disk"]["files"].items.filter {
          ($0["path"].string ?? "").hasPrefix(scratch.path)
        }
        found.append(
          Dictionary(
            files.map { file in
              // A file that was put in another's place was called before by a name that is made up.
              let name = file["path"].string?.split(separator: "/").last.map(String.init) ?? ""
              return (
                name.hasPrefix("target") ? name : "other",
                ["writes", "bytesWritten", "syncs", "rewrites"].map { file[$0].int ?? 0 }
              )
            }, uniquingKeysWith: { zip($0, $1).map { $0 + $1 } }))
      }
      #expect(found[0] == found[1])
      #expect(!found[0].isEmpty)
    }

    /// Further apart than the recorder looks where a thread sends and writes: 20 ms.
    @Test(arguments: [
      ("chatty messages=60 bytes=100 reply=100 gap=50", "sock:sock_send_length/stack/"),
      ("appender writes=60 bytes=33 gap=50", "raw_syscalls:sys_exit/stack/"),
    ])
    func
      `what is called from one place again and again has its stack each time, which is copied once in a while`(
        workload: String, event: String
      ) throws
    {
      let scratch = try Scratch()
      let path = workload.hasPrefix("appender") ? " path=\(scratch.file("target"))" : ""
      let run = try Recorded(
        workload: workload + path, options: ["--recorder", "kernel", "--keep-stacks"],
        scratch: scratch)
      let trace = try Trace.load(path: run.trace)
      let pid = trace.subject.pid
      let sites =
        path.isEmpty
        ? trace.transfers.filter { $0.pid == pid && $0.direction == .send }.map {
          (time: $0.time, stack: $0.stack)
        }
        : trace.fileOperations.filter { $0.pid == pid && $0.bytes == 33 }.map {
          (time: $0.time, stack: $0.stack)
        }
      let (stacks, first) = (sites.map(\.stack), try #require(sites.first?.time))
      #expect(stacks.count == 60)
      for stack in stacks {
        let frames = stack.map { trace.stacks.frames(of: $0) } ?? []
        #expect(
          frames.contains { $0.isProgram && $0.function != nil }, "\(frames)")
      }
      let file = try PerfDataFile(path: run.trace)
      let copied = file.orderedRecords().count {
        $0.type == RecordType.sample && $0.attribute >= 0
          && file.attributes[Int($0.attribute)].name == event
          // What the program read as it started has stacks of its own.
          && $0.time >= first.nanoseconds
      }
      #expect((1...12).contains(copied))
    }

    @Test func `of a million writes of a byte none is missing, and none is sampled`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "bytewriter count=1000000 path=\(target)", options: ["--recorder", "kernel"],
        scratch: scratch)
      let file = run.file(target)
      #expect(file["writes"].int == 1_000_000, "\(run.signals["disk"])")
      #expect(file["bytesWritten"].int == 1_000_000)
      #expect(run.report["capture"]["sampled"].items.isEmpty, "\(run.report["capture"])")
      #expect(run.report["trace"]["lostEvents"].int == 0)
    }

    // Rows of equal writes that ended while the recorder looked were told too late, when their descriptor was closed or
    // stood for the next file.
    #if !arch(arm64)
      // A wait that ended with its time, in the tick before, took those that followed it for its repetitions.
      @Test func `a poll that finds nothing is one, however long was waited before it`() throws {
        let source = """
          #include <poll.h>
          #include <sys/epoll.h>
          #include <unistd.h>
          int main(void) {
            struct epoll_event event;
            int ends[2], set = epoll_create1(0);
            pipe(ends);
            struct pollfd end = {ends[0], POLLIN, 0};
            for (int i = 0; i < 300; i++) epoll_wait(set, &event, 1, 2), epoll_wait(set, &event, 1, 0);
            for (int i = 0; i < 200; i++) poll(&end, 1, 2), poll(&end, 1, 0), poll(&end, 1, 0);
            return 0;
          }
          """
        for recorder in Self.recorders {
          let scratch = try Scratch()
          let run = try Recorded(
            [try scratch.program("polls", source)], options: ["--recorder", recorder],
            scratch: scratch)
          let rule = run.audit("spin-waits")
          #expect(
            rule["displayValue"].string?.contains("700 empty polls") == true, "\(recorder): \(rule)"
          )
        }
      }

      // Two threads at one mutex: FUTEX_WAIT says EAGAIN where the mutex is free by then. And a server that reads until
      // nothing is left.
      @Test(arguments: recorders) func `threads at a mutex, and a server, wait not busily`(
        recorder: String
      ) throws {
        let source = """
          #include <pthread.h>
          #include <sys/epoll.h>
          #include <sys/socket.h>
          #include <time.h>
          static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
          static int ends[2];
          static double now(void) {
            struct timespec time;
            clock_gettime(CLOCK_MONOTONIC, &time);
            return time.tv_sec + time.tv_nsec * 1e-9;
          }
          static void *locks(void *end) {
            while (now() < *(double *)end) {
              pthread_mutex_lock(&mutex);
              for (volatile int i = 0; i < 2000; i++) {}
              pthread_mutex_unlock(&mutex);
              for (volatile int i = 0; i < 2000; i++) {}
            }
            return 0;
          }
          static void *asks(void *unused) {
            char byte;
            for (int i = 0; i < 2000; i++) send(ends[0], "x", 1, 0), recv(ends[0], &byte, 1, 0);
            shutdown(ends[0], SHUT_RDWR);
            return unused;
          }
          int main(void) {
            pthread_t threads[2];
            double end = now() + 1;
            for (int i = 0; i < 2; i++) pthread_create(threads + i, 0, locks, &end);
            for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
            socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
            int set = epoll_create1(0);
            struct epoll_event event = {EPOLLIN | EPOLLET};
            epoll_ctl(set, EPOLL_CTL_ADD, ends[1], &event);
            pthread_create(threads, 0, asks, 0);
            for (;;) {
              epoll_wait(set, &event, 1, -1);
              char byte;
              long got;
              while ((got = recv(ends[1], &byte, 1, MSG_DONTWAIT)) > 0) send(ends[1], &byte, 1, 0);
              if (got == 0) return 0;
            }
          }
          """
        let scratch = try Scratch()
        let run = try Recorded(
          [try scratch.program("waits", source, ["-pthread"])], options: ["--recorder", recorder],
          scratch: scratch)
        let rule = run.audit("spin-waits")
        #expect(rule["status"].string == "notApplicable", "\(rule)")
      }
    #endif

    @Test func `files that are written one after the other each have their own writes`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "files",
        """
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(int words, char **word) {
          char path[4096], room[600];
          for (int number = 0; number < 10000; number++) {
            snprintf(path, sizeof path, "%s/note%d", word[1], number);
            int file = open(path, O_CREAT | O_WRONLY, 0600);
            for (int index = 0; index <= number % 3; index++) write(file, room, 500 + number % 7);
            close(file);
          }
          puts("{}");
        }
        """)
      let folder = scratch.file("notes")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let run = try Recorded(
        [program, folder], options: ["--recorder", "kernel"], scratch: scratch)
      let writes = Dictionary(
        run.signals["disk"]["files"].items.map { ($0["path"].string ?? "", $0["writes"].int ?? 0) },
        uniquingKeysWith: +)
      let wrong = (0..<10_000).filter { writes["\(folder)/note\($0)"] != $0 % 3 + 1 }
      #expect(wrong.isEmpty, "\(wrong.prefix(20))")
      #expect(run.report["trace"]["lostEvents"].int == 0)
    }

    @Test func `what is in a file for a moment is told by its path`() throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [
          "sh", "-c",
          "for i in 1 2 3; do echo $i > \(scratch.file("brief")).$i; rm \(scratch.file("brief")).$i; done",
        ],
        options: ["--recorder", "kernel", "--process", "sh"], scratch: scratch)
      for number in 1...3 {
        #expect(
          run.file("\(scratch.file("brief")).\(number)")["writes"].int == 1,
          "\(run.signals["disk"])")
      }
    }

    @Test(arguments: [("lock", "lock"), ("sleep", "sleep"), ("network", "network")])
    func `what runs already is recorded as what it starts is`(cause: String, name: String) throws {
      for recorder in Self.recorders {
        let run = try Recorded(
          attachedTo: [
            Machine.workload, "blocker", "cause=\(cause)", "count=3", "ms=300", "gap=900",
          ], in: [], options: ["--recorder", recorder])
        #expect(run.report["trace"]["lostEvents"].int == 0)
        try #require(run.hangs.count == 3, "\(recorder): \(run.mainThread)")
        for (hang, truth) in zip(run.hangs, run.trueSpans) {
          expectBlame(hang, lasts: truth, waitsFor: name)
        }
      }
    }

    @Test func `each job is told, however often threads wait`() throws {
      for recorder in Self.recorders {
        let run = try Recorded(
          [Machine.asyncWorkload, "mode=hops", "count=3000"], options: ["--recorder", recorder])
        let concurrency = run.signals["concurrency"]
        // Two each time that it yields, of which the runtime may run one within the other, and a few at the beginning
        // and the end.
        let jobs = concurrency["jobs"].int ?? 0
        #expect(jobs >= 3_000 && jobs <= 6_010, "\(recorder): \(concurrency)")
        #expect(concurrency["stopped"].string == nil, "\(recorder): \(concurrency)")
      }
      let run = try Recorded(
        [Machine.asyncWorkload, "mode=async-main", "count=3", "ms=300", "gap=50"],
        options: ["--recorder", "kernel"])
      let concurrency = run.signals["concurrency"]
      #expect((concurrency["tasksCreated"].double ?? 0) >= 4)
      let longest = Array(concurrency["longestJobs"].items.prefix(3))
      try #require(longest.count == 3)
      for job in longest {
        #expect(job["isMainActor"].bool == true)
        #expect(job["function"].string?.contains("runAsync") == true, "\(job)")
      }
    }

    @Test(.enabled(if: Machine.tool("bpftool") != nil, "needs bpftool"))
    func `nothing stays in the kernel when the recorder is killed`() throws {
      let scratch = try Scratch()
      func programs() throws -> Int {
        let list = try Command.run(["bpftool", "prog", "list"]).text
        return list.split(separator: "\n").count {
          $0.contains("name switched") || $0.contains("name waking")
        }
      }
      let before = try programs()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Machine.lull)
      process.arguments = [
        "record", "-q", "--no-report", "--recorder", "kernel", "-o", scratch.file("t"), "--",
        "sleep",
        "30",
      ]
      try process.run()
      var running = before
      for _ in 0..<100 where running == before {
        usleep(50_000)
        running = try programs()
      }
      #expect(running > before)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      var left = running
      for _ in 0..<100 where left > before {
        usleep(50_000)
        left = try programs()
      }
      #expect(left <= before)
    }
  }
}
