import Foundation
import Testing

extension EndToEnd {
  @Suite struct Flights {
    /// A program under a flight recorder, and what that wrote.
    private struct Flight {
      let folder: String
      let result: CommandResult
      let truth: JSON
      let scratch: Scratch

      init(_ options: [String], _ words: [String]) throws {
        scratch = try Scratch()
        folder = scratch.file("out")
        result = try Command.run(
          [Machine.lull, "record", "-o", folder] + options + ["--", Machine.workload] + words)
        truth = try JSON(lastLineOf: result.text)
        try #require(result.status == 0, "\(result.errors)")
      }

      var traces: [String] { Flights.traces(in: folder) }
    }

    private static func traces(in folder: String) -> [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.filter { $0.hasSuffix(".perf.data") }.sorted().map { "\(folder)/\($0)" }
    }

    /// The program's main thread waits for a lock once, for 400 ms, after it was idle for three seconds.
    private static let once = ["blocker", "cause=lock", "count=1", "ms=400", "gap=3000"]

    @Test(arguments: ["perf", "process"])
    func `a hang that comes once is written with its function and the seconds before`(
      recorder: String
    ) throws {
      let flight = try Flight(
        ["--flight", "2s", "--on", "hang > 250ms", "--recorder", recorder], Self.once)
      try #require(flight.traces.count == 1, "\(flight.result.errors)")
      let trace = flight.traces[0]
      let report = try Recorded.report(trace)
      let trigger = report["trigger"]
      let span = flight.truth["spans"][0]
      let length = ((span["endNs"].double ?? 0) - (span["startNs"].double ?? 0)) / 1e9
      #expect(trigger["kind"].string == "hang")
      #expect(trigger["condition"].string == "hang > 250ms")
      #expect(trigger["isGoingOn"].bool == false)
      #expect(isNear(trigger["durationSeconds"].double, length, slack: 0.02))
      let function = try #require(trigger["function"].string)
      #expect(function.contains("makeLockBlock"))
      // As many seconds before it as were asked for, and what follows it.
      let start = try #require(trigger["time"].double)
      #expect(start >= 2)
      #expect((report["trace"]["durationSeconds"].double ?? 0) > start + length)
      #expect(
        report["marks"].items.contains { $0["name"].string?.contains("hang > 250ms") == true })
      #expect(report["signals"]["mainThread"]["hangs"].items.count == 1)
      // Beside it the text and the page.
      let base = trace.dropLast(".perf.data".count)
      let text = try String(contentsOfFile: base + ".txt", encoding: .utf8)
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains("Written since the main thread hung for"))
      #expect(text.contains("makeLockBlock"))
      let page = try String(contentsOfFile: base + ".html", encoding: .utf8)
      #expect(page.contains("Written since the main thread hung for"))
    }

    // A wait that had just begun as a part ended had no stack in it: of one hang in eight up to 94 ms of what followed
    // was taken for its end.
    @Test func `a hang that ends as a part does has its length`() throws {
      let flight = try Flight(
        ["--flight", "2s", "--at-most", "50", "--on", "hang > 250ms", "--recorder", "process"],
        ["blocker", "cause=lock", "count=6", "ms=300", "gap=713"])
      let lengths = try flight.traces.map {
        try Recorded.report($0)["trigger"]["durationSeconds"].double ?? 0
      }
      #expect(lengths.count == 6 && lengths.allSatisfy { abs($0 - 0.3) < 0.02 }, "\(lengths)")
    }

    /// A loop around epoll_wait that once does what its argument names, for longer than a part of a flight of two
    /// seconds is: one ends meanwhile.
    private static let blocksOnce = """
      #include <pthread.h>
      #include <stdint.h>
      #include <stdlib.h>
      #include <sys/epoll.h>
      #include <sys/timerfd.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
      static volatile int held;
      static int ends[2];
      static void pause_(void) { struct timespec t = {1, 300000000}; nanosleep(&t, 0); }
      static void *hold(void *which) {
        if (which) pthread_mutex_lock(&lock);
        held = 1;
        pause_();
        if (which) pthread_mutex_unlock(&lock); else write(ends[1], "x", 1);
        return 0;
      }
      __attribute__((noinline)) void blockHere(char kind) {
        pthread_t thread;
        char byte;
        pid_t child;
        switch (kind) {
        case 's': pause_(); break;
        case 'u': usleep(1300000); break;
        case 'l':
          pthread_create(&thread, 0, hold, &lock);
          while (!held) {}
          pthread_mutex_lock(&lock);
          break;
        case 'p': pthread_create(&thread, 0, hold, 0); read(ends[0], &byte, 1); break;
        case 'w': if (!(child = fork())) { pause_(); _exit(0); } waitpid(child, 0, 0); break;
        }
        __asm__ volatile("");
      }
      int main(int count, char **words) {
        pipe(ends);
        int queue = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
        struct itimerspec each = {{0, 100000000}, {0, 100000000}};
        timerfd_settime(timer, 0, &each, 0);
        struct epoll_event event = {EPOLLIN};
        epoll_ctl(queue, EPOLL_CTL_ADD, timer, &event);
        for (int turn = 0; turn < 30; turn++) {
          uint64_t expired;
          epoll_wait(queue, &event, 1, -1);
          read(timer, &expired, 8);
          if (turn == 12) blockHere(words[1][0]);
        }
      }
      """

    // A wait was first told as a part ended, and the kernel's function that it was in only as the next part began: it
    // was taken for another wait in the function of which the name was known, which was that of the loop.
    @Test(
      arguments: [
        ("process", "s", ["sleep"]), ("process", "u", ["sleep"]), ("process", "l", ["lock"]),
        ("process", "w", ["child"]),
        // What its descriptor is, a call tells as it ends.
        ("process", "p", ["ipc", "other"]),
        ("outside", "p", ["ipc"]), ("kernel", "s", ["sleep"]), ("perf", "l", ["lock"]),
      ])
    func `one wait that lasts as a part ends is found, whatever it is for`(
      recorder: String, kind: String, causes: [String]
    ) throws {
      let scratch = try Scratch()
      let program = try scratch.program("once", Self.blocksOnce, ["-g", "-w", "-pthread"])
      let folder = scratch.file("out")
      let result = try Command.run(
        [
          Machine.lull, "record", "--recorder", recorder, "-o", folder, "--no-report", "--flight",
          "2s", "--on", "hang > 250ms", "--on", "SIGUSR2", "--", program, kind,
        ])
      let traces = Self.traces(in: folder)
      try #require(result.status == 0 && traces.count == 1, "\(result.errors)")
      let report = try Recorded.report(traces[0])
      let trigger = report["trigger"]
      #expect(trigger["condition"].string == "hang > 250ms")
      #expect(isNear(trigger["durationSeconds"].double, 1.3, slack: 0.1))
      let function = trigger["function"].string ?? ""
      #expect(function.contains(kind == "s" ? "pause_" : "blockHere"), "\(function)")
      let hangs = report["signals"]["mainThread"]["hangs"].items
      #expect(hangs.count == 1)
      let known = causes.reduce(0) { $0 + (hangs.first?["blockedByCause"][$1].double ?? 0) }
      #expect(isNear(known, 1.3, slack: 0.1))
    }

    @Test func `nothing is written where nothing happened`() throws {
      let flight = try Flight(
        ["--flight", "2s", "--on", "hang > 250ms", "--on", "footprint > 2GB", "--on", "SIGUSR2"],
        ["blocker", "cause=lock", "count=2", "ms=120", "gap=800"])
      #expect(!FileManager.default.fileExists(atPath: flight.folder))
      #expect(flight.result.errors.contains("nothing was written"))
    }

    @Test(arguments: ["--flight", "--rotate"])
    func `a folder that was there stays as it was, though nothing came of it`(
      option: String
    ) throws {
      let scratch = try Scratch()
      let folder = scratch.file("kept")
      try #require(mkdir(folder, 0o700) == 0 && chmod(folder, 0o750) == 0)
      let options = option == "--flight" ? ["2s", "--on", "hang > 250ms"] : ["1h"]
      _ = try Command.run(
        [Machine.lull, "record", "-o", folder, option] + options
          + ["--", option == "--flight" ? "true" : scratch.file("no such program")])
      var information = stat()
      #expect(stat(folder, &information) == 0 && information.st_mode & 0o7777 == 0o750)
    }

    @Test func `more than so many an hour are counted, not written`() throws {
      let flight = try Flight(
        ["--flight", "1s", "--on", "hang > 250ms", "--at-most", "1", "--no-report"],
        ["blocker", "cause=sleep", "count=3", "ms=300", "gap=1500"])
      #expect(flight.traces.count == 1)
      let words = flight.result.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("2 triggers more: not written, since 1 an hour are the most"))
    }

    @Test func `a footprint above the limit is written once`() throws {
      let flight = try Flight(
        ["--flight", "2s", "--on", "footprint > 100MB", "--no-report"],
        ["steady", "mb=150", "seconds=3"])
      try #require(flight.traces.count == 1, "\(flight.result.errors)")
      let trigger = try Recorded.report(flight.traces[0])["trigger"]
      #expect(trigger["kind"].string == "footprint")
      #expect(trigger["pid"].int == flight.truth["pid"].int)
      // The reading at which it was seen; the program holds 150 MiB in the end.
      let bytes = try #require(trigger["footprintBytes"].int)
      #expect(bytes > 100_000_000 && bytes < 190_000_000)
    }

    /// A loop that blocks once, for 400 ms, and holds 100 MB more from then on.
    private static let growsOnce = """
      #include <stdlib.h>
      #include <string.h>
      #include <sys/epoll.h>
      #include <time.h>
      int main(void) {
        struct epoll_event event;
        int queue = epoll_create1(0);
        struct timespec block = {0, 400000000};
        for (int turn = 0; turn < 180; turn++) {
          epoll_wait(queue, &event, 1, 100);
          if (turn != 160) continue;
          memset(malloc(100 << 20), 1, 100 << 20);
          nanosleep(&block, 0);
        }
      }
      """

    // Once the recording's beginning was let go, hangs were looked for in the shell alone, and reports were of it.
    @Test(arguments: ["perf", "process"])
    func `what a shell's program does is found for as long as it runs, and reports are of that`(
      recorder: String
    ) throws {
      let scratch = try Scratch()
      let program = try scratch.program("grows", Self.growsOnce, ["-w"])
      let folder = scratch.file("out")
      let result = try Command.run([
        Machine.lull, "record", "--recorder", recorder, "-o", folder, "--flight", "1s",
        "--on", "hang > 250ms", "--on", "footprint > 60MB", "--", "sh", "-c", program + "; true",
      ])
      let traces = Self.traces(in: folder)
      try #require(traces.count == 2, "\(result.errors)")
      let reports = try traces.map { try Recorded.report($0) }
      #expect(Set(reports.map { $0["trigger"]["kind"].string }) == ["hang", "footprint"])
      for (trace, report) in zip(traces, reports) {
        #expect(report["capture"]["mode"].string == "attach")
        #expect(report["process"]["pid"].int == report["trigger"]["pid"].int)
        #expect(report["process"]["name"].string == "grows")
        // One is written while it grows.
        #expect((report["signals"]["memory"]["peakFootprintBytes"].int ?? 0) > 60_000_000)
        let text = try String(
          contentsOfFile: trace.dropLast(".perf.data".count) + ".txt", encoding: .utf8)
        #expect(text.contains("Lull: grows (pid \(report["process"]["pid"].int ?? 0))"))
      }
    }

    @Test func `an attached recorder writes when it is told to, and a hang that does not end`()
      throws
    {
      let scratch = try Scratch()
      let target = try Command(
        [Machine.workload, "blocker", "cause=lock", "count=1", "ms=60000", "gap=3000"])
      usleep(300_000)
      let folder = scratch.file("out")
      let recorder = try Command([
        Machine.lull, "record", "--pid", "\(target.pid)", "--flight", "2s", "--on", "SIGUSR2",
        "--on",
        "hang > 1s", "-o", folder, "--no-report", "--duration", "13s",
      ])
      sleep(2)
      kill(recorder.pid, SIGUSR2)
      // A log that is rotated tells by this; it ends nothing.
      kill(recorder.pid, SIGHUP)
      let result = try recorder.finish()
      #expect(result.status == 0)
      let triggers = try Self.traces(in: folder).map { try Recorded.report($0)["trigger"] }
      #expect(Set(triggers.map { $0["kind"].string }) == ["signal", "hang"], "\(result.errors)")
      let hang = try #require(triggers.first { $0["kind"].string == "hang" })
      #expect(hang["isGoingOn"].bool == true)
      #expect((hang["durationSeconds"].double ?? 0) >= 5)
      #expect(hang["function"].string?.contains("makeLockBlock") == true)
      kill(target.pid, SIGKILL)
    }

    @Test func `a hang is written while it lasts, and not again as it ends`() throws {
      let flight = try Flight(
        ["--flight", "2s", "--on", "hang > 1s", "--no-report"],
        ["blocker", "cause=lock", "count=1", "ms=13000", "gap=2000"])
      try #require(flight.traces.count == 1, "\(flight.result.errors)")
      let hang = try Recorded.report(flight.traces[0])["trigger"]
      #expect(hang["kind"].string == "hang")
      #expect(hang["isGoingOn"].bool == true)
      #expect((hang["durationSeconds"].double ?? 0) >= 5)
      #expect(hang["function"].string?.contains("makeLockBlock") == true)
    }
  }
}
