import Foundation
import Testing
import TraceModel

extension EndToEnd {
  /// Programs that are looked at from outside where the kernel tells a plain user of its switches: times are exact, and
  /// looks tell causes.
  @Suite(
    .enabled(if: Rung.areThere, Rung.needsTools),
    .enabled(if: Rung.userHasEvents, "needs kernel.perf_event_paranoid of 2 or less"))
  struct Switches {
    /// Waits that are long, short ones, and what the program knows of them itself.
    private static let waits = """
      #define _GNU_SOURCE
      #include <pthread.h>
      #include <stdio.h>
      #include <sys/resource.h>
      #include <time.h>
      #include <unistd.h>
      static double now(int clock) {
        struct timespec t;
        clock_gettime(clock, &t);
        return t.tv_sec + t.tv_nsec / 1e9;
      }
      static double lasts[3];
      __attribute__((noinline)) void longWait(int i) {
        double begun = now(CLOCK_MONOTONIC), used = now(CLOCK_THREAD_CPUTIME_ID);
        usleep(300000);
        lasts[i] = now(CLOCK_MONOTONIC) - begun - (now(CLOCK_THREAD_CPUTIME_ID) - used);
      }
      __attribute__((noinline)) void shortWaits(int count) { while (count--) usleep(2000); }
      static void *later(void *unused) {
        shortWaits(250);
        struct rusage usage;
        getrusage(RUSAGE_THREAD, &usage);
        return (void *)usage.ru_nvcsw;
      }
      int main(int argc, char **argv) {
        usleep(BEFORE);
        struct rusage before, after;
        getrusage(RUSAGE_THREAD, &before);
        for (int i = 0; i < 3; i++) longWait(i);
        shortWaits(1500);
        getrusage(RUSAGE_THREAD, &after);
        pthread_t thread;
        void *waits;
        pthread_create(&thread, 0, later, 0);
        pthread_join(thread, &waits);
        printf("{\\"long\\":[%.6f,%.6f,%.6f],\\"waits\\":%ld,\\"later\\":%ld}\\n", lasts[0], lasts[1],
               lasts[2], after.ru_nvcsw - before.ru_nvcsw, (long)waits);
      }
      """

    /// The waits of the first thread and of the second.
    private func waits(
      _ run: Recorded
    ) throws -> (first: [ThreadInterval], later: [ThreadInterval]) {
      let trace = try Trace.load(path: run.trace)
      func waits(_ thread: ThreadModel) -> [ThreadInterval] {
        thread.intervals.filter { if case .blocked = $0.state { true } else { false } }
      }
      let pid = try #require(trace.processes.first { $0.name == "waits" }).pid
      let threads = trace.threads(of: pid)
      let first = try #require(threads.first { $0.tid == pid })
      let later = try #require(threads.first { $0.tid != pid })
      return (waits(first), waits(later))
    }

    private func rung(_ signal: String, of run: Recorded) -> JSON {
      run.report["capture"]["rungs"].items.first { $0["signal"].string == signal } ?? JSON(nil)
    }

    /// Holds each wait against what the program knows; `others` of the first thread's are before those and after.
    private func expectWaits(_ run: Recorded, others: ClosedRange<Int>) throws {
      let (first, later) = try waits(run)
      let long = first.filter { $0.length.seconds > 0.29 && $0.length.seconds < 0.4 }
      let truths = run.truth["long"].items.compactMap(\.double)
      try #require(truths.count == 3)
      for truth in truths {
        #expect(long.contains { abs($0.length.seconds - truth) < 0.001 }, "\(truth): \(long)")
      }
      let own = run.truth["waits"].int ?? 0
      #expect(others.contains(first.count - own), "\(first.count) of \(own)")
      // Its last wait may be for the C library as it ends.
      let laters = run.truth["later"].int ?? 0
      #expect((0...1).contains(later.count - laters), "\(later.count) of \(laters)")
      for signal in ["mainThread", "cpu"] {
        #expect(rung(signal, of: run)["rung"].string == "switches", "\(rung(signal, of: run))")
      }
    }

    /// The same of one that is looked at alone, with what is said of it.
    private func expect(_ run: Recorded, others: ClosedRange<Int>) throws {
      try expectWaits(run, others: others)
      #expect(
        run.report["capture"]["privilege"].string?.contains("beside perf's switches") == true)
      let own = run.truth["waits"].int ?? 0
      let laters = run.truth["later"].int ?? 0
      let counted = run.signals["counters"].items.first {
        $0["name"].string == "voluntary context switches"
      }
      #expect(
        others.contains((counted?["value"].int ?? 0) - own - laters), "\(run.signals["counters"])")
      let limit = rung("mainThread", of: run)["limits"].items.compactMap(\.string).joined()
      #expect(limit.contains("is told by the kernel, by its switches"), "\(limit)")
      #expect(limit.contains("in queues, by schedstat"), "\(limit)")
    }

    @Test func `of a static program each wait is known from its beginning to its end`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "waits", Self.waits, ["-g", "-static", "-pthread", "-DBEFORE=50000"])
      let run = try Recorded([program], in: Rung.user.words(writingTo: scratch), scratch: scratch)
      try expect(run, others: 1...6)
      let slept = run.mainThread["blockedByCause"]["sleep"].double ?? 0
      let long = run.truth["long"].items.compactMap(\.double).reduce(0, +)
      #expect(slept > long, "\(run.mainThread)")
      let stacks = try Command.run([
        Machine.lull, "export", run.trace, "--format", "folded", "--what", "offcpu",
      ])
      #expect(stacks.text.contains("main;longWait"), "\(stacks.text)")
    }

    @Test func `a plain user attaches to a dynamic program, whose new threads are told of too`()
      throws
    {
      let scratch = try Scratch()
      let program = try scratch.program(
        "waits", Self.waits, ["-g", "-pthread", "-DBEFORE=1500000"])
      let run = try Recorded(
        attachedTo: [program], in: Rung.user.words(writingTo: scratch), scratch: scratch)
      try expect(run, others: 1...6)
    }

    @Test(arguments: ["\"$@\"; true", "exec \"$@\""])
    func `of a static program that another starts each wait is known from when it is found`(
      script: String
    ) throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "waits", Self.waits, ["-g", "-static", "-pthread", "-DBEFORE=1500000"])
      let run = try Recorded(
        ["sh", "-c", script, "sh", program], in: Rung.user.words(writingTo: scratch),
        reportOptions: ["--process", "waits"], scratch: scratch)
      #expect(run.report["process"]["name"].string == "waits", "\(run.report["process"])")
      try expectWaits(run, others: 1...9)
      let reasons = run.report["capture"]["unavailable"].items.compactMap { $0["reason"].string }
      #expect(
        reasons.contains { $0.contains("every wait") && $0.contains("by the kernel's switches") },
        "\(reasons)")
      let stacks = try Command.run([
        Machine.lull, "export", run.trace, "--process", "waits", "--format", "folded", "--what",
        "offcpu",
      ])
      #expect(stacks.text.contains("main;longWait"), "\(stacks.text)")
    }

    // What such a program starts may tell of itself: the kernel's events of its parent are not inherited.
    @Test func `what a static program starts is told of once`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "parent",
        """
        #include <stdlib.h>
        #include <unistd.h>
        int main(void) {
          usleep(1200000);
          return system("sleep 0.3; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
        }
        """, ["-static"])
      let run = try Recorded(
        ["sh", "-c", "\"$@\"; true", "sh", program], in: Rung.user.words(writingTo: scratch),
        reportOptions: ["--process", "parent"], scratch: scratch)
      let trace = try Trace.load(path: run.trace)
      let shell = try #require(
        trace.processes.filter { $0.name == "sh" }.max { $0.pid < $1.pid })
      let used = trace.threads(of: shell.pid).reduce(0) { $0 + $1.runningTime.seconds }
      let sampled = trace.processorSamples.filter { $0.pid == shell.pid }
        .reduce(0) { $0 + $1.clockTime.seconds }
      #expect(used > 0.05 && sampled < 1.4 * used, "\(used) \(sampled)")
      let waits = trace.threads(of: shell.pid).flatMap { $0.intervals.map { $0 } }
        .filter { $0.state == .blocked(.child) }
      #expect(waits.count == 1 && abs((waits.first?.length.seconds ?? 0) - 0.3) < 0.02, "\(waits)")
    }

    // Looks alone are what a filter of system calls leaves, as before.
    @Test func `where no event may be opened looks tell times too`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "waits", Self.waits, ["-g", "-static", "-pthread", "-DBEFORE=50000"])
      let run = try Recorded(
        [program], in: Rung.dockerUser.words(writingTo: scratch), scratch: scratch)
      let (first, _) = try waits(run)
      // The others are between two looks, the fewer the faster the machine is.
      #expect(first.count < (run.truth["waits"].int ?? 0) * 19 / 20, "\(first.count)")
      let long = first.filter { $0.length.seconds > 0.28 && $0.length.seconds < 0.4 }
      #expect(long.count == 3, "\(long)")
      #expect(rung("mainThread", of: run)["rung"].string == "outside")
      let limit = rung("mainThread", of: run)["limits"].items.compactMap(\.string).joined()
      #expect(limit.contains("when a wait began and ended is known to that distance"), "\(limit)")
      #expect(run.report["blame"]["cpu"].items.isEmpty)
    }

    /// Computes in a function of its own, and has the kernel work for another.
    private static let computing = """
      #include <fcntl.h>
      #include <stdio.h>
      #include <time.h>
      #include <unistd.h>
      static double used(void) {
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return t.tv_sec + t.tv_nsec / 1e9;
      }
      __attribute__((noinline)) long computes(void) {
        volatile long sum = 0;
        while (used() < 0.6) for (int i = 0; i < 1000000; i++) sum += i;
        return sum;
      }
      static char bytes[1 << 24];
      __attribute__((noinline)) void letsRead(int file) {
        while (used() < 1.2) if (read(file, bytes, sizeof bytes) < 0) return;
      }
      int main(void) {
        int file = open("/dev/zero", O_RDONLY);
        computes();
        letsRead(file);
        printf("{\\"used\\":%.6f}\\n", used());
      }
      """

    // What it computed was told to be twice as much: the kernel's part has no samples.
    @Test func `CPU samples name the function that computes, and what the kernel did has none`()
      throws
    {
      let scratch = try Scratch()
      let program = try scratch.program("computing", Self.computing, ["-g", "-static"])
      let run = try Recorded([program], in: Rung.user.words(writingTo: scratch), scratch: scratch)
      let rows = run.report["blame"]["cpu"].items
      let row = try #require(rows.first { $0["function"].string == "computes" }, "\(rows)")
      let bounds = row["selfSecondsInterval"].items.compactMap(\.double)
      try #require(bounds.count == 2)
      #expect(bounds[0] < 0.6 && bounds[1] > 0.6, "\(row)")
      #expect(isNear(row["selfSeconds"].double, 0.6, slack: 0.1), "\(row)")
      let rest = try #require(rows.first { $0["function"].string == "[no stack]" }, "\(rows)")
      #expect(isNear(rest["selfSeconds"].double, 0.6, slack: 0.1), "\(rest)")
      #expect(rest["samples"].int == 0, "\(rest)")
      let limits = rung("cpu", of: run)["limits"].items.compactMap(\.string).joined()
      #expect(limits.contains("in the kernel"), "\(limits)")
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `doctor says whether switches are told of`(rung: Rung) throws {
      let scratch = try Scratch()
      let result = try Command.run(rung.words(writingTo: scratch) + [Machine.lull, "doctor"])
      #expect(result.status == 0, "\(result.errors)")
      let text = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let isTold = rung == .user
      for words in [
        "from outside, beside the kernel's switches:",
        "while the kernel tells of its switches and samples its code",
      ] {
        #expect(text.contains(words) == isTold, "\(result.text)")
      }
      #expect(text.contains("recorded from outside:") == !isTold, "\(result.text)")
      #expect(text.contains("CPU samples NOT recorded") == !isTold, "\(result.text)")
    }

    // The root is read-only there, and /tmp with it: "recorded not at all", where recording works.
    @Test(arguments: [Rung.kubernetes, .systemd])
    func `doctor records where the system's folders may not be written`(rung: Rung) throws {
      let scratch = try Scratch()
      let words = rung.words(writingTo: scratch) + ["env", "-u", "TMPDIR", Machine.lull, "doctor"]
      let result = try Command.run(words)
      #expect(result.status == 0, "\(result.errors)")
      let text = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains("started by Lull was recorded within the process"), "\(result.text)")
      #expect(text.contains("main thread recorded 300 ms asleep of 300 ms"), "\(result.text)")
      #expect(text.contains("kernel programs: there is no /sys/kernel here"), "\(result.text)")
      #expect(!text.contains("Failure("), "\(result.text)")
    }

    @Test func `a trace is read from a pipe where the system's folders may not be written`() throws
    {
      let scratch = try Scratch()
      let run = try Recorded(["true"], scratch: scratch)
      #expect(chmod(run.trace, 0o644) == 0)
      let words = ["env", "-u", "TMPDIR", "sh", "-c", "exec \"$0\" report - < \"$1\""]
      let result = try Command.run(
        Rung.kubernetes.words(writingTo: scratch) + words + [Machine.lull, run.trace])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.text.hasPrefix("Lull: true (pid "), "\(result.text)")
    }

    @Test func `where no folder may be made a command says so`() throws {
      let result = try Command.run(
        ["env", "TMPDIR=/nonexistent", Machine.lull, "doctor"])
      let text = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        text.contains(
          "cannot make a folder at /nonexistent: No such file or directory; set TMPDIR"),
        "\(result.text)")
    }

    // Looks need no more than two descriptors of each thread; events of each CPU need more than there are.
    @Test func `with too few descriptors for events looks are taken alone`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "many",
        """
        #include <pthread.h>
        #include <unistd.h>
        static void *sleeps(void *unused) { return usleep(3000000), unused; }
        int main(void) {
          pthread_t thread;
          for (int i = 0; i < 60; i++) pthread_create(&thread, 0, sleeps, 0);
          sleeps(0);
          return puts("{}") < 0;
        }
        """, ["-pthread", "-include", "stdio.h"])
      let run = try Recorded(
        attachedTo: [program],
        in: ["prlimit", "--nofile=450:450"] + Rung.user.words(writingTo: scratch), scratch: scratch)
      #expect(rung("mainThread", of: run)["rung"].string == "outside", "\(run.report["capture"])")
      #expect(run.signals["threads"].items.count == 61, "\(run.signals["threads"].items.count)")
    }
  }
}
