import Foundation
import PerfData
import Testing

extension EndToEnd {
  /// Programs as they are in the field: forked, renamed, headless, with other rights, with many threads.
  @Suite(.enabled(if: Machine.tool("clang") != nil, "needs clang"))
  struct Field {
    /// What its first argument says.
    private static let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <netinet/in.h>
      #include <pthread.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/sendfile.h>
      #include <sys/socket.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>

      static void burn(double milliseconds) {
        struct timespec t;
        do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        while (t.tv_sec * 1e3 + t.tv_nsec / 1e6 < milliseconds);
      }
      static void *naps(void *unused) {
        for (int i = 0; i < 20; i++) usleep(20000);
        burn(100);
        int file = open("after", O_CREAT | O_WRONLY | O_TRUNC, 0600);
        write(file, "after", 5);
        usleep(200000);
        return unused;
      }
      static void *spins(void *milliseconds) { burn(atof(milliseconds)); return 0; }
      static void *naps_once(void *unused) { usleep(500000); return unused; }
      static void *execs(void *program) {
        usleep(30000);
        execl(program, program, "works", (char *)0);
        return 0;
      }
      static void *sleeps(void *unused) { sleep(60); return unused; }

      int main(int count, char **words) {
        const char *what = words[1];
        char bytes[65536] = {1};
        if (!strcmp(what, "headless")) {
          pthread_t thread;
          pthread_create(&thread, 0, naps, 0);
          pthread_exit(0);
        } else if (!strcmp(what, "execs")) {
          pthread_t thread;
          pthread_create(&thread, 0, execs, words[0]);
          pthread_join(thread, 0);
        } else if (!strcmp(what, "works")) {
          burn(100);
          int file = open("works", O_CREAT | O_WRONLY | O_TRUNC, 0600);
          for (int i = 0; i < 20; i++) write(file, bytes, 10000);
        } else if (!strcmp(what, "workers")) {
          for (int i = 0; i < 3; i++)
            if (!fork()) for (int n = 1;; n++) { burn(n * 10); usleep(50000); }
          pause();
        } else if (!strcmp(what, "closes")) {
          for (int i = 3; i < 65536; i++) close(i);
          int file = open("closes", O_CREAT | O_WRONLY | O_TRUNC, 0600);
          for (int i = 0; i < 50; i++) { burn(i * 10); write(file, "12345678", 8); }
        } else if (!strcmp(what, "copies")) {
          int from = open("from", O_CREAT | O_WRONLY | O_TRUNC, 0600);
          for (int i = 0; i < 16; i++) write(from, bytes, sizeof bytes);
          close(from);
          from = open("from", O_RDONLY);
          int to = open("to", O_CREAT | O_WRONLY | O_TRUNC, 0600);
          while (sendfile(to, from, 0, sizeof bytes) > 0);
        } else if (!strcmp(what, "splices")) {
          struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
          socklen_t size = sizeof address;
          int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
          bind(server, (void *)&address, size);
          listen(server, 5);
          getsockname(server, (void *)&address, &size);
          connect(client, (void *)&address, size);
          int accepted = accept(server, 0, 0), ends[2];
          pipe(ends);
          int to = open("spliced", O_CREAT | O_WRONLY | O_TRUNC, 0600);
          for (int i = 0; i < 5; i++) {
            send(client, bytes, 4000, 0);
            splice(accepted, 0, ends[1], 0, 4000, 0);
            splice(ends[0], 0, to, 0, 4000, 0);
            send(accepted, bytes, 300, 0);
            splice(client, 0, ends[1], 0, 300, 0);
            splice(ends[0], 0, to, 0, 300, 0);
          }
        } else if (!strcmp(what, "daemon")) {
          if (!fork()) { setsid(); sleep(2); return 0; }
          burn(20);
        } else if (!strcmp(what, "burns")) {
          burn(atof(words[2]));
        } else if (!strcmp(what, "brief")) {
          for (int i = atoi(words[2]); i > 0; i--) {
            pthread_t thread;
            pthread_create(&thread, 0, spins, words[3]);
            pthread_join(thread, 0);
          }
        } else if (!strcmp(what, "forks")) {
          for (int i = atoi(words[2]); i > 0; i--) {
            if (!fork()) { burn(atof(words[3])); _exit(0); }
            wait(0);
          }
        } else if (!strcmp(what, "many")) {
          struct timespec start, end;
          pthread_t threads[4000];
          int all = atoi(words[2]);
          clock_gettime(CLOCK_MONOTONIC, &start);
          for (int i = 0; i < all; i++) pthread_create(threads + i, 0, naps_once, 0);
          clock_gettime(CLOCK_MONOTONIC, &end);
          for (int i = 0; i < all; i++) pthread_join(threads[i], 0);
          int file = open("many", O_CREAT | O_WRONLY | O_TRUNC, 0600);
          for (int i = 0; i < 200; i++) { write(file, "12345678", 8); usleep(5000); }
          printf("{\\"seconds\\":%f}\\n",
                 end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
        } else if (!strcmp(what, "threads")) {
          pthread_t thread;
          for (int i = atoi(words[2]); i > 0; i--) pthread_create(&thread, 0, sleeps, 0);
          pause();
        }
        return 0;
      }
      """

    /// A folder with the program, which may be entered by other users.
    private func program() throws -> (scratch: Scratch, path: String) {
      let scratch = try Scratch()
      let path = scratch.file("field.c")
      try Self.source.write(toFile: path, atomically: true, encoding: .utf8)
      let built = try Command.run([
        "clang", "-O1", "-g", "-pthread", path, "-o", scratch.file("field"),
      ])
      try #require(built.status == 0, "\(built.errors)")
      return (scratch, scratch.file("field"))
    }

    /// The program in its folder.
    private func run(_ words: [String], options: [String] = []) throws -> Recorded {
      let (scratch, path) = try program()
      return try Recorded(
        [path] + words, in: ["env", "-C", scratch.path], options: options, scratch: scratch)
    }

    @Test func `a command line may be as long as the kernel allows`() throws {
      let words = (1...20_000).map { "argument-\($0)" }
      let run = try Recorded(
        ["sh", "-c", "sleep 0.3; exit 3"] + words, reportOptions: ["--process", "sh"])
      #expect(run.result.status == 3, "\(run.result.errors.suffix(300))")
      #expect(run.report["process"]["commandLine"].items.count == words.count + 3)
      let redacted = run.scratch.file("redacted")
      let result = try Command.run([Machine.lull, "redact", run.trace, "-o", redacted])
      #expect(result.status == 0, "\(result.errors)")
      let again = try Recorded.report(redacted, options: ["--process", "sh"])
      #expect(again["process"]["commandLine"].items.count == words.count + 3)
    }

    static let recorders = ["auto", "perf", "process"]

    @Test(arguments: recorders)
    func `a process goes on after its first thread has ended`(recorder: String) throws {
      let run = try run(["headless"], options: ["--recorder", recorder])
      #expect((run.report["trace"]["durationSeconds"].double ?? 0) > 0.5)
      // Twenty naps and the one at the end; what a busy machine may add is little.
      let wakeups = run.signals["wakeups"]["total"].int ?? 0
      #expect((20...26).contains(wakeups), "\(wakeups)")
      let cpu = run.signals["cpu"]["totalSeconds"].double ?? 0
      #expect(cpu > 0.095 && cpu < 0.2, "\(cpu)")
      #expect(run.file(run.scratch.file("after"))["bytesWritten"].int == 5)
      #expect((run.signals["memory"]["peakFootprintBytes"].int ?? 0) > 0)
      // Of 0.7 s it is a seventh.
      #expect((run.signals["cpu"]["medianShare"].double ?? 1) < 0.3, "\(run.signals["cpu"])")
    }

    // As `swift run` does. The thread takes the first one's place, whose end was taken for the process's.
    @Test(arguments: recorders)
    func `a program that another one's thread runs is that process's`(recorder: String) throws {
      let run = try run(["execs"], options: ["--recorder", recorder])
      let cpu = run.signals["cpu"]["totalSeconds"].double ?? 0
      #expect(cpu > 0.095 && cpu < 0.2, "\(cpu)")
      let file = run.file(run.scratch.file("works"))
      #expect(file["bytesWritten"].int == 200_000 && file["writes"].int == 20, "\(file)")
    }

    @Test func `children that a process has when it is attached to are recorded as well`() throws {
      let (scratch, path) = try program()
      let target = try Command([path, "workers"])
      usleep(300_000)
      let workers = try children(of: target.pid)
      try #require(workers.count == 3)
      defer { for worker in workers { kill(worker, SIGKILL) } }
      func attach(_ name: String, _ options: [String]) throws -> JSON {
        let trace = scratch.file(name)
        let result = try Command.run(
          [Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "1s", "-o", trace]
            + options)
        try #require(result.status == 0, "\(result.errors)")
        return try Recorded.report(trace)
      }
      let before = try workers.map(ticks)
      let report = try attach("all", [])
      let after = try workers.map(ticks)
      #expect(report["process"]["pid"].int == Int(target.pid))
      for (worker, used) in zip(workers, zip(after, before).map { $0 - $1 }) {
        let row = report["processes"].items.first { $0["pid"].int == Int(worker) }
        let cpu = row?["cpuSeconds"].double ?? 0
        // /proc counts what the worker used before and after the recording too.
        #expect(cpu > 0.03 && cpu <= used + 0.02, "\(worker): \(cpu) of \(used)")
      }
      let alone = try attach("alone", ["--no-children"])
      #expect(alone["processes"].items.map { $0["pid"].int } == [Int(target.pid)])
    }

    @Test(arguments: recorders)
    func `closing all descriptors that there may be hides no writes`(recorder: String) throws {
      let run = try run(["closes"], options: ["--recorder", recorder])
      #expect(run.report["trace"]["lostEvents"].int == 0)
      let file = run.file(run.scratch.file("closes"))
      #expect(file["writes"].int == 50 && file["bytesWritten"].int == 400, "\(run.signals["disk"])")
    }

    // They had a row of zeros, whatever they wrote.
    @Test func `of programs that take no library nothing is told that was not seen`() throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [
          "sh", "-c", "for i in 1 2 3 4; do env -i sh -c 'echo > \"$0\"' $0; done",
          scratch.file("out"),
        ],
        options: ["--recorder", "process"], scratch: scratch)
      let children = run.report["processes"].items.filter {
        $0["pid"].int != run.report["process"]["pid"].int
      }
      #expect(children.count == 4, "\(run.report["processes"])")
      for child in children {
        #expect(
          child["bytesWritten"].int == nil && child["wakeups"].int == nil
            && (child["isLookedAt"].bool == true || child["cpuSeconds"].double == nil), "\(child)")
      }
      let missing = run.report["capture"]["unavailable"].items.first {
        $0["signal"].string == "processes"
      }
      #expect(missing?["reason"].string?.contains(" did is not seen") == true, "\(missing as Any)")
    }

    @Test func `copies within the kernel are told by whole paths, and their last call is no write`()
      throws
    {
      let run = try run(["copies"])
      for name in ["from", "to"] {
        let file = run.file(run.scratch.file(name))
        #expect(
          file["writes"].int == 16 && file["bytesWritten"].int == 16 * 65536,
          "\(run.signals["disk"]["files"])")
      }
      #expect(run.signals["disk"]["smallWrites"].int == 0)
    }

    /// The kernel's event of a receive is silent about it.
    @Test(arguments: recorders)
    func `what is spliced from a socket was received`(recorder: String) throws {
      let (scratch, path) = try program()
      let run = try Recorded(
        [path, "splices"], in: ["env", "-C", scratch.path],
        options: ["--radio-loopback", "--recorder", recorder],
        reportOptions: ["--radio-loopback"], scratch: scratch)
      let network = run.signals["network"]
      #expect(network["bytesSent"].int == 21_500, "\(network)")
      #expect(network["bytesReceived"].int == 21_500, "\(network)")
      let file = run.file(scratch.file("spliced"))
      #expect(file["writes"].int == 10 && file["bytesWritten"].int == 21_500, "\(file)")
      let received = network["connections"].items.compactMap { $0["bytesReceived"].int }
      #expect(received.sorted() == [1500, 20_000], "\(network["connections"])")
    }

    @Test(.enabled(if: Machine.tool("setpriv") != nil, "needs setpriv"))
    func `a program with other rights is said not to have been recorded`() throws {
      let (scratch, path) = try program()
      #expect(chmod(path, 0o4755) == 0)
      let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
      let alone = try Recorded(user + [path, "burns", "150"], scratch: scratch)
      #expect(alone.report["score"]["overall"].double == nil, "\(alone.report["score"])")
      let missing = alone.report["capture"]["unavailable"].items.map { $0["signal"].string ?? "" }
      #expect(Set(missing).isSuperset(of: ["mainThread", "wakeups", "disk", "network", "cpu"]))
      let text = try Command.run([Machine.lull, "report", alone.trace]).text
      #expect(text.contains("runs with other rights than who started it"), "\(text)")
      let row = alone.report["processes"].items.first { $0["name"].string == "field" }
      // By /proc, which goes on counting: as last read, after half of the time at least.
      #expect((row?["cpuSeconds"].double ?? 0) > 0.05, "\(alone.report["processes"])")

      // Where it is a child, the score is of its parent and the note is there too.
      let other = try Scratch()
      let shell = try Recorded(
        user + ["sh", "-c", "\(path) burns 100; \(path) burns 1; exit 0"],
        options: ["--process", "sh"], reportOptions: ["--process", "sh"], scratch: other)
      let ended = shell.report["processes"].items.filter { $0["unrecordedFrom"].double != nil }
      #expect(!ended.isEmpty, "\(shell.report["processes"])")
    }

    @Test func `a process of many threads may be attached to whatever the limit is`() throws {
      let (scratch, path) = try program()
      let target = try Command([path, "threads", "300"])
      usleep(500_000)
      let trace = scratch.file("t")
      let result = try Command.run([
        "sh", "-c", "ulimit -n 4096; exec \"$0\" \"$@\"", Machine.lull, "record", "-q", "--pid",
        "\(target.pid)", "--duration", "500ms", "-o", trace,
      ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Recorded.report(trace)["process"]["threadCount"].int == 301)
    }

    @Test func `threads that last for a few milliseconds are sampled`() throws {
      let run = try run(["brief", "300", "4"])
      let cpu = run.signals["cpu"]["totalSeconds"].double ?? 0
      #expect(cpu > 1.1, "\(cpu)")
      let rows = run.report["blame"]["cpu"].items
      let samples = rows.reduce(0) { $0 + ($1["samples"].int ?? 0) }
      // 97 a second; of so many the number itself varies by a tenth.
      #expect(Double(samples) > 97 * cpu * 0.6 && Double(samples) < 97 * cpu * 1.4, "\(samples)")
      let burn = rows.first { $0["function"].string == "burn" }
      // Nine tenths of it by construction, and the share of some 120 samples varies by 0.03.
      #expect((burn?["selfSeconds"].double ?? 0) > 0.7 * cpu, "\(rows)")
      let bounds = burn?["selfSecondsInterval"].items.compactMap(\.double) ?? []
      #expect(bounds.count == 2 && bounds[0] < bounds[1] && bounds[1] <= cpu * 1.001, "\(bounds)")
    }

    @Test func `processes that last for a few milliseconds are sampled`() throws {
      let run = try run(["forks", "200", "5"])
      let rows = run.report["blame"]["cpuOfChildren"].items
      let burn = rows.first { $0["function"].string == "burn" }
      // Each burns 5 ms; what a fork and an exit take comes on top.
      #expect((burn?["selfSeconds"].double ?? 0) > 0.7, "\(rows)")
      #expect((burn?["samples"].int ?? 0) > 50, "\(rows)")
      let text = try Command.run([Machine.lull, "report", run.trace]).text
      #expect(text.contains("CPU, children"))
    }

    @Test func `a child that goes on when its command has ended is mentioned`() throws {
      let run = try run(["daemon"])
      let others = run.report["processes"].items.filter { $0["outlivesCommand"].bool == true }
      #expect(others.count == 1, "\(run.report["processes"])")
      let text = try Command.run([Machine.lull, "report", run.trace]).text
      #expect(text.contains("went on when the command had ended"))
      let usual = try self.run(["forks", "3", "5"])
      #expect(usual.report["processes"].items.count == 4)
      #expect(usual.report["processes"].items.allSatisfy { $0["outlivesCommand"].bool != true })
    }

    // Within the process it had no name, and nothing told that it went on.
    @Test(arguments: ["kernel", "perf", "process"])
    func `a daemon, whose parent is gone, has its name and is mentioned`(recorder: String) throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "daemonizes",
        """
        #include <fcntl.h>
        #include <unistd.h>
        int main(int count, char **words) {
          if (fork()) return usleep(300000), 0;
          setsid();
          if (fork()) _exit(0);
          int file = open(words[1], O_WRONLY | O_CREAT, 0600);
          for (int i = 0; i < 20; i++) write(file, words[1], 1), usleep(50000);
          return 0;
        }
        """)
      let run = try Recorded(
        [program, scratch.file("written")], options: ["--recorder", recorder], scratch: scratch)
      let processes = run.report["processes"].items
      let daemons = processes.filter { $0["outlivesCommand"].bool == true }
      #expect(daemons.map { $0["name"].string } == ["daemonizes"], "\(processes)")
      #expect((2...8).contains(daemons.first?["bytesWritten"].int ?? 0), "\(processes)")
      let text = try Command.run([Machine.lull, "report", run.trace]).text
      #expect(text.contains("went on when the command had ended"), "\(text)")
    }

    /// With events of each of its own, each thread took 0.9 ms more.
    @Test(arguments: ["auto", "perf"])
    func `creating very many threads does not take much longer`(recorder: String) throws {
      let (scratch, path) = try program()
      let many = [path, "many", "3000"]
      let place = ["env", "-C", scratch.path]
      let alone = try JSON(lastLineOf: Command.run(place + many).text)["seconds"].double
      let run = try Recorded(
        many, in: place, options: ["--recorder", recorder], scratch: scratch)
      let seconds = run.truth["seconds"].double ?? .infinity
      #expect(seconds < 4 * (try #require(alone)) + 0.7, "\(seconds)")
      #expect(run.report["process"]["threadCount"].int == 3001)
      let counts = try PerfDataFile(path: run.trace).recordCounts
      if recorder == "perf" {
        #expect(counts[RecordType.contextSwitchCPUWide, default: 0] > 3000)
      }
      // What comes after is told, in slices of time as long as so many threads wake.
      let file = run.file(run.scratch.file("many"))
      #expect((file["bytesWritten"].int ?? 0) > 0, "\(run.signals["disk"])")
    }

    /// Where a program is while it runs, and what becomes of it.
    enum Place: String, CaseIterable { case inNamespace, deleted, replaced }

    @Test(
      .enabled(if: Machine.tool("unshare") != nil, "needs unshare"), arguments: Place.allCases,
      [true, false])
    func `a program that is not at its path has its functions named`(
      place: Place, isWrapped: Bool
    ) throws {
      let (scratch, path) = try program()
      let other = scratch.file("other")
      let script =
        switch place {
        case .inNamespace:
          "mount -t tmpfs none /mnt && cp \(path) /mnt/field && exec /mnt/field burns 1500"
        case .deleted: "cp \(path) \(other) && exec \(other) burns 1500"
        case .replaced: "cp \(path) \(other) && exec \(other) burns 1500"
        }
      let shell = (place == .inNamespace ? ["unshare", "-m"] : []) + ["sh", "-c", script]
      func change() throws {
        guard place != .inNamespace else { return }
        try FileManager.default.removeItem(atPath: other)
        if place == .replaced {
          try FileManager.default.copyItem(atPath: "/bin/true", toPath: other)
        }
      }
      let trace = scratch.file("t")
      let result: CommandResult
      if isWrapped {
        let recorder = try Command([Machine.lull, "record", "-q", "-o", trace, "--"] + shell)
        usleep(900_000)
        try change()
        result = try recorder.finish()
      } else {
        let target = try Command(shell)
        usleep(300_000)
        try change()
        result = try Command.run(
          [
            Machine.lull, "record", "-q", "--pid", "\(target.pid)", "--duration", "500ms", "-o",
            trace,
          ])
      }
      #expect(result.status == 0, "\(result.errors)")
      let report = try Recorded.report(trace)
      let row = report["blame"]["cpu"].items.first
      #expect(["burn", "main"].contains(row?["function"].string), "\(report["blame"]["cpu"])")
      #expect(row?["file"].string?.hasSuffix("field.c") == true)
    }

    private func children(of pid: Int32) throws -> [Int32] {
      try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        .split(separator: " ").compactMap { Int32($0) }
    }

    /// The CPU seconds that a process used, by its ticks.
    private func ticks(_ pid: Int32) throws -> Double {
      let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      let used = (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
      return Double(used) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }
}
