import Foundation
import Testing
import TraceModel

extension EndToEnd {
  /// Recordings by looks at threads from outside, where no event can be opened and no library preloaded.
  @Suite(.enabled(if: Rung.areThere, Rung.needsTools))
  struct Outside {
    /// Where no other program on the machine has connections.
    private static let ownNetwork = [
      "unshare", "-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "network",
    ]

    /// Attaches to a program that was started before, in a place with few rights and beside another program.
    private func attach(
      program: [String], in rung: Rung, besides other: String? = nil, options: [String] = [],
      reportOptions: [String] = []
    ) throws -> Recorded {
      let scratch = try Scratch()
      let neighbour = other.map { ["sh", "-c", "\"$0\" & exec \"$@\"", $0] } ?? []
      return try Recorded(
        attachedTo: program, in: Self.ownNetwork + neighbour + rung.words(writingTo: scratch),
        options: ["--recorder", "outside"] + options, reportOptions: reportOptions,
        scratch: scratch)
    }

    private func attach(
      _ workload: String, in rung: Rung, besides other: String? = nil, options: [String] = [],
      reportOptions: [String] = []
    ) throws -> Recorded {
      try attach(
        program: [Machine.workload] + workload.split(separator: " ").map(String.init), in: rung,
        besides: other, options: options, reportOptions: reportOptions)
    }

    /// The hangs that the program timed itself, and how long they were.
    private func hangs(_ run: Recorded) throws -> [(hang: JSON, length: Double)] {
      let found = run.hangs
      try #require(found.count == run.trueSpans.count, "\(run.mainThread)")
      return Array(zip(found, run.trueSpans))
    }

    private static let causes = [
      ("sleep", "sleep"), ("lock", "lock"), ("network", "network"), ("file", "file"),
      ("semaphore", "lock"), ("child", "child"),
    ]
    private static let places: [(Rung, (String, String))] = causes.enumerated().flatMap {
      number, cause in
      // Each cause on one of the rungs, the plain user's on all.
      number % 2 == 0 ? [(Rung.user, cause)] : [(Rung.user, cause), (Rung.dockerUser, cause)]
    }

    // 21 of 221 waits were told as the count of them.
    @Test func `waits of threads that ended are told to be more than are counted`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "threads",
        """
        #include <pthread.h>
        #include <unistd.h>
        static void *sleeps(void *unused) {
          for (int i = 0; i < 10; i++) usleep(5000);
          return unused;
        }
        int main(void) {
          for (int i = 0; i < 10; i++) {
            pthread_t thread;
            pthread_create(&thread, NULL, sleeps, NULL);
            pthread_join(thread, NULL);
          }
          return 0;
        }
        """, ["-pthread"])
      let run = try Recorded([program], options: ["--recorder", "outside"], scratch: scratch)
      let reasons = run.report["capture"]["unavailable"].items.compactMap { $0["reason"].string }
      #expect(
        reasons.contains { $0.contains("waited at least as often as is counted") }, "\(reasons)")
    }

    @Test func `turns near a hang's length may be hangs or none`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "near",
        """
        #include <sys/epoll.h>
        #include <sys/timerfd.h>
        #include <unistd.h>
        int main(void) {
          int set = epoll_create1(0), timer = timerfd_create(1, 0);
          struct itimerspec each = {{0, 150000000}, {0, 150000000}};
          struct epoll_event event = {.events = EPOLLIN};
          epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
          timerfd_settime(timer, 0, &each, 0);
          long ticks;
          for (int i = 0; i < 12; i++) epoll_wait(set, &event, 1, -1), read(timer, &ticks, 8), usleep(101000);
          return 0;
        }
        """)
      let run = try Recorded([program], options: ["--recorder", "outside"], scratch: scratch)
      let main = run.mainThread
      #expect((main["fewestHangs"].int ?? 99) < 6, "\(main)")
      #expect((10...13).contains(main["mostHangs"].int ?? 0), "\(main)")
      let text = try Command.run([Machine.lull, "report", run.trace]).text
      #expect(text.contains("hangs: seen from outside, turns near"), "\(text)")
      let exact = try Recorded([program], options: ["--recorder", "perf"])
      #expect(exact.mainThread["mostHangs"].int == nil, "\(exact.mainThread)")
      #expect((11...12).contains(exact.mainThread["hangs"].items.count), "\(exact.mainThread)")
    }

    // A child that its parent did not ask for was found again each time its threads were listed, and told to have run:
    // for 30 ms here, and for 1.3 s beside a program that computed.
    @Test func `a process that has ended does nothing until it is asked for`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "leaves",
        """
        #include <unistd.h>
        int main(void) {
          if (fork() == 0) { usleep(500000); _exit(0); }
          for (int i = 0; i < 30; i++) usleep(50000);
          return 0;
        }
        """)
      let run = try Recorded([program], options: ["--recorder", "outside"], scratch: scratch)
      let used = run.report["processes"].items.compactMap { $0["cpuSeconds"].double }
      #expect(!used.isEmpty && used.reduce(0, +) < 0.015, "\(used)")
    }

    // 1,118 turns of 3,613 were told as the count of them.
    @Test func `turns between looks are told to be more than are counted`() throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "polls",
        """
        #include <sys/epoll.h>
        #include <sys/timerfd.h>
        #include <unistd.h>
        int main(void) {
          int set = epoll_create1(0), timer = timerfd_create(1, 0);
          struct itimerspec each = {{0, 1000000}, {0, 1000000}};
          struct epoll_event event = {.events = EPOLLIN};
          epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
          timerfd_settime(timer, 0, &each, 0);
          long ticks;
          for (int i = 0; i < 800; i++) epoll_wait(set, &event, 1, -1), read(timer, &ticks, 8);
          return 0;
        }
        """)
      let run = try Recorded([program], options: ["--recorder", "outside"], scratch: scratch)
      #expect(run.mainThread["turnsAreLeast"].bool == true, "\(run.mainThread)")
      #expect((1...801).contains(run.mainThread["turns"].int ?? 0), "\(run.mainThread)")
      let text = try Command.run([Machine.lull, "report", run.trace]).text
      #expect(text.contains("at least \(run.mainThread["turns"].int ?? 0) of the event loop"))
      let exact = try Recorded([program], options: ["--recorder", "perf"])
      #expect(exact.mainThread["turnsAreLeast"].bool == nil, "\(exact.mainThread)")
      // A tick that was there already is no wait.
      #expect((700...801).contains(exact.mainThread["turns"].int ?? 0), "\(exact.mainThread)")
    }

    @Test(arguments: places)
    func `what blocks the main thread of a running program is told, with its function`(
      rung: Rung, cause: (String, String)
    ) throws {
      let run = try attach("blocker cause=\(cause.0) count=3 ms=300 gap=1000", in: rung)
      #expect(
        run.report["capture"]["privilege"].string?.contains("looked at from outside") == true)
      // Of many short waits a look may miss the first and the last.
      let slack = cause.0 == "file" ? 0.03 : 0.015
      for (hang, length) in try hangs(run) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < slack, "\(hang) of \(length)")
        #expect(
          hang["stack"].items.contains { $0["module"].string?.contains("lull-workload") == true },
          "\(hang)")
        let causes = hang["blockedByCause"]
        let blocked = causes.keys.compactMap { causes[$0].double }.reduce(0, +)
        let told = causes[cause.1].double ?? 0
        if cause.0 == "file" {
          // Of hundreds of short waits those before the first that a look finds, and after the last, have no cause.
          #expect(told > 0.75 * blocked, "\(hang)")
          #expect(told + (causes["unknown"].double ?? 0) > 0.99 * blocked, "\(hang)")
        } else {
          #expect(told > 0.9 * blocked, "\(hang)")
        }
      }
      #expect(
        run.report["audits"].items.first { $0["id"].string == "main-thread-hangs" }?["status"]
          .string == "fail")
    }

    /// A program that connects to itself again and again: each connection lives for less than a millisecond.
    private func connecting(_ scratch: Scratch, after: Int, times: Int, gap: Int) throws -> String {
      try scratch.program(
        "server",
        """
        #include <arpa/inet.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(void) {
          char bytes[5000] = {0};
          struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
          socklen_t length = sizeof name;
          int listener = socket(AF_INET, SOCK_STREAM, 0);
          if (bind(listener, (void *)&name, sizeof name) || listen(listener, 8)) return 1;
          getsockname(listener, (void *)&name, &length);
          usleep(\(after) * 1000);
          for (int i = 0; i < \(times); i++) {
            int client = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(client, (void *)&name, sizeof name)) return 2;
            int server = accept(listener, 0, 0);
            send(client, bytes, 100, 0);
            recv(server, bytes, sizeof bytes, MSG_WAITFORONE);
            send(server, bytes, 5000, 0);
            close(server);
            while (recv(client, bytes, sizeof bytes, 0) > 0) {}
            close(client);
            usleep(\(gap) * 1000);
          }
          usleep(300000);
          return 0;
        }
        """)
    }

    @Test func `what a server's short connections carry is told exactly`() throws {
      let scratch = try Scratch()
      let program = try connecting(scratch, after: 1500, times: 40, gap: 15)
      let run = try attach(
        program: [program], in: .user, options: ["--radio-loopback"],
        reportOptions: ["--radio-loopback"])
      let network = run.signals["network"]
      let server = network["connections"].items.filter {
        ($0["bytesSent"].int ?? 0) == 5000 && abs(($0["bytesReceived"].int ?? 0) - 100) <= 1
      }
      #expect(server.count == 40, "\(network) \(run.report["capture"]["unavailable"])")
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `a static program is looked at from outside`(rung: Rung) throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "static",
        """
        #include <unistd.h>
        static __attribute__((noinline)) int inner(int length) { return usleep(length) + 1; }
        __attribute__((noinline)) int outer(int length) { return inner(length) + 1; }
        int main(void) { return outer(300000) + outer(200000) == 4 ? 0 : 1; }
        """, ["-g", "-static"])
      let run = try Recorded(
        [program], in: rung.words(writingTo: scratch), scratch: scratch)
      #expect(run.result.status == 0)
      #expect(isNear(run.mainThread["blockedByCause"]["sleep"].double, 0.5, slack: 0.015))
      let stacks = try Command.run([
        Machine.lull, "export", run.trace, "--format", "folded", "--what", "offcpu",
      ])
      #expect(stacks.text.contains("main;outer;inner"), "\(stacks.text)")
      #expect(run.audit("bytes-written")["status"].string == "notMeasured")
    }

    // Nothing tells of such a program within: it was named, and not measured.
    @Test(arguments: [Rung.root, .dockerUser, .user])
    func `a static program that a recorded program starts is looked at from outside`(
      rung: Rung
    ) throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "static",
        """
        #include <time.h>
        #include <unistd.h>
        static __attribute__((noinline)) int inner(int length) { return usleep(length) + 1; }
        __attribute__((noinline)) int outer(int length) { return inner(length) + 1; }
        int main(void) {
          usleep(400000);
          while (clock() < CLOCKS_PER_SEC / 5) {}
          return outer(300000) + outer(200000) == 4 ? 0 : 1;
        }
        """, ["-g", "-static"])
      let run = try Recorded(
        ["sh", "-c", "\"$@\"; true", "sh", program],
        in: rung.words(writingTo: scratch), options: ["--recorder", "process"],
        reportOptions: ["--process", "static"], scratch: scratch)
      #expect(run.result.status == 0)
      #expect(run.report["process"]["name"].string == "static", "\(run.report["process"])")
      // Programs are looked for once a second at least: some of its first sleep is not seen.
      let slept = run.mainThread["blockedByCause"]["sleep"].double ?? 0
      #expect(slept > 0.485 && slept < 0.915, "\(run.mainThread)")
      #expect(isNear(run.signals["cpu"]["totalSeconds"].double, 0.2, slack: 0.03))
      let stacks = try Command.run([
        Machine.lull, "export", run.trace, "--process", "static", "--format", "folded", "--what",
        "offcpu",
      ])
      let inner = stacks.text.split(separator: "\n").filter { $0.contains("main;outer;inner") }
        .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
      #expect(isNear(inner / 1e6, 0.5, slack: 0.03), "\(stacks.text)")
      for signal in ["wakeups", "network", "disk"] {
        #expect(!run.signals[signal].exists, "\(signal): \(run.signals[signal])")
      }
      #expect(run.audit("bytes-written")["status"].string == "notMeasured")
      let rows = run.report["processes"].items
      #expect(rows.count == 2, "\(rows)")
      for row in rows {
        let isLookedAt = row["name"].string == "static"
        #expect((row["isLookedAt"].bool == true) == isLookedAt, "\(row)")
        #expect(row["cpuSeconds"].double != nil, "\(row)")
        for figure in ["wakeups", "bytesWritten", "bytesSent", "bytesReceived"] {
          #expect((row[figure].double == nil) == isLookedAt, "\(figure): \(row)")
        }
      }
      let pid = run.report["process"]["pid"].int ?? 0
      let reasons = run.report["capture"]["unavailable"].items.compactMap { $0["reason"].string }
      #expect(reasons.contains { $0.contains("from outside") && $0.contains("process \(pid),") })
      #expect(!reasons.contains { $0.contains("is not seen") && $0.contains("(\(pid))") })
    }

    // It was taken for the shell, or nothing but an unknown wait was told of its first half second.
    @Test(arguments: [Rung.root, .dockerUser, .user])
    func `a static program that a shell becomes is seen from its beginning`(rung: Rung) throws {
      let scratch = try Scratch()
      let program = try scratch.program(
        "static",
        """
        #include <time.h>
        #include <unistd.h>
        int main(void) {
          usleep(300000);
          while (clock() < CLOCKS_PER_SEC / 5) {}
          return usleep(200000);
        }
        """, ["-static"])
      let run = try Recorded(
        ["sh", "-c", "exec \"$@\"", "sh", program],
        in: rung.words(writingTo: scratch), options: ["--recorder", "process"], scratch: scratch)
      #expect(run.result.status == 0)
      #expect(run.report["process"]["name"].string == "static", "\(run.report["process"])")
      let (cpu, main) = (run.signals["cpu"]["totalSeconds"].double, run.mainThread)
      #expect(isNear(cpu, 0.2, slack: 0.02), "\(run.signals["cpu"])")
      #expect(isNear(main["blockedByCause"]["sleep"].double, 0.5, slack: 0.06), "\(main)")
      #expect(isNear(main["blockedSeconds"].double, 0.5, slack: 0.03), "\(main)")
    }

    @Test func `computing is running time`() throws {
      let run = try attach("blocker cause=compute count=3 ms=300 gap=1000", in: .user)
      for ((hang, length), used) in zip(try hangs(run), run.trueCPU) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < 0.015, "\(hang) of \(length)")
        #expect(abs((hang["runningSeconds"].double ?? 0) - used) < 0.02, "\(hang) with \(used)")
      }
    }

    @Test func `what cannot be seen from outside is not measured`() throws {
      let scratch = try Scratch()
      let run = try attach(
        "appender writes=600 bytes=33 gap=5 path=\(scratch.file("log"))", in: .user)
      let audits = run.report["audits"].items
      for id in ["bytes-written", "write-frequency", "idle-wakeups", "polling-timers"] {
        let audit = audits.first { $0["id"].string == id }
        #expect(audit?["status"].string == "notMeasured", "\(id): \(audit?["status"].string ?? "")")
      }
      #expect(!run.report["signals"]["disk"].exists && !run.report["signals"]["wakeups"].exists)
      #expect(run.report["signals"]["memory"]["peakFootprintBytes"].double ?? 0 > 1e6)
      // It waits once after each write; the first of them were before.
      let waits = run.report["signals"]["counters"].items.first {
        $0["name"].string == "voluntary context switches"
      }
      #expect(
        (400...700).contains(waits?["value"].double ?? 0), "\(run.report["signals"]["counters"])")
    }

    /// 200 threads of 5 ms each, or 60 processes of 10 ms, of which looks find a tenth.
    private static let shortLived = """
      #include <pthread.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/resource.h>
      #include <sys/wait.h>
      #include <time.h>
      #include <unistd.h>
      static long used(clockid_t clock) {
        struct timespec time;
        clock_gettime(clock, &time);
        return time.tv_sec * 1000000000L + time.tv_nsec;
      }
      static void *burn(void *milliseconds) {
        while (used(CLOCK_THREAD_CPUTIME_ID) < (long)milliseconds * 1000000) {}
        return NULL;
      }
      int main(int count, char **words) {
        if (count > 2) burn((void *)atol(words[2]));
        for (int i = 0; i < 200 && strcmp(words[1], "threads") == 0; i++) {
          pthread_t thread;
          pthread_create(&thread, NULL, burn, (void *)5);
          pthread_join(thread, NULL);
        }
        for (int i = 0; i < 60 && strcmp(words[1], "processes") == 0; i++) {
          if (fork() == 0) { burn((void *)10); _exit(0); }
          wait(NULL);
        }
        struct rusage all, children;
        getrusage(RUSAGE_SELF, &all);
        getrusage(RUSAGE_CHILDREN, &children);
        struct timeval sum[] = {all.ru_utime, all.ru_stime, children.ru_utime, children.ru_stime};
        double seconds = 0;
        for (int i = 0; i < 4; i++) seconds += sum[i].tv_sec + sum[i].tv_usec / 1e6;
        printf("{\\"seconds\\": %f}\\n", seconds);
      }
      """

    /// What a reason tells of CPU time in all, and of what is not known of it, in seconds: "of 1.01 s of CPU time 950
    /// ms are of threads and processes that began and ended between two looks".
    private func untold(_ run: Recorded) throws -> (all: Double, missing: Double) {
      let entries = run.report["capture"]["unavailable"].items
      let reason = try #require(
        entries.first { $0["signal"].string == "processes" }?["reason"].string, "\(entries)")
      let words = reason.split(separator: " ").map(String.init)
      func seconds(at place: Int) throws -> Double {
        let number = try #require(Double(words[place]), "\(reason)")
        return words[place + 1] == "ms" ? number / 1000 : number
      }
      let time = try #require(words.firstIndex(of: "time"), "\(reason)")
      return (try seconds(at: time - 4), try seconds(at: time + 1))
    }

    // It was not told of, and the program's median second was a tenth of what it used.
    @Test(arguments: [true, false])
    func `what began and ended between two looks is said to be unknown, with its CPU time`(
      isThreads: Bool
    ) throws {
      let scratch = try Scratch()
      let program = try scratch.program("short", Self.shortLived, ["-pthread"])
      let run = try Recorded(
        [program, isThreads ? "threads" : "processes"], in: Rung.user.words(writingTo: scratch),
        options: ["--recorder", "outside"], scratch: scratch)
      #expect(run.result.status == 0)
      let truth = try #require(run.truth["seconds"].double)
      let (all, missing) = try untold(run)
      #expect(isNear(all, truth, slack: 0.03 * truth))
      // Looks are 1 to 20 ms apart.
      #expect((0.3 * truth...truth).contains(missing), "\(missing) of \(truth)")
      let cpu = run.signals["cpu"]
      let total = try #require(cpu["totalSeconds"].double)
      guard let user = cpu["userSeconds"].double, let system = cpu["systemSeconds"].double else {
        // The kernel may have counted no tick of what the process used without its children.
        #expect(!isThreads && total < 0.05, "\(cpu)")
        return
      }
      #expect(isNear(user + system, total, slack: 1e-6), "\(cpu)")
      guard isThreads else { return }
      // /proc was read last up to 100 ms before the end.
      #expect((truth - 0.15...truth + 0.03).contains(user + system), "\(cpu) of \(truth)")
    }

    @Test func `what a running program had used before is not in what is said to be unknown`()
      throws
    {
      let scratch = try Scratch()
      let program = try scratch.program("short", Self.shortLived, ["-pthread"])
      let run = try attach(program: [program, "threads", "500"], in: .user)
      let truth = try #require(run.truth["seconds"].double)
      let (all, missing) = try untold(run)
      // It had run for 0.3 s before it was attached to.
      #expect(all < truth - 0.2 && all > 0.3, "\(all) of \(truth)")
      #expect((0.3 * all...all).contains(missing), "\(missing) of \(all)")
      #expect(abs(all - (run.signals["cpu"]["totalSeconds"].double ?? 0)) < 0.15, "\(all)")
    }

    /// Beside a program with short connections of its own, which may be this one's for what the kernel tells, no rule
    /// goes by what is known to be.
    @Test(arguments: [false, true])
    func `what TCP sockets carry is told exactly`(hasNeighbour: Bool) throws {
      let scratch = try Scratch()
      let other = try connecting(scratch, after: 0, times: hasNeighbour ? 160 : 0, gap: 40)
      let run = try attach(
        "bursty bursts=3 messages=20 bytes=2000 reply=3000 gap=2000", in: .user,
        besides: hasNeighbour ? other : nil, options: ["--radio-loopback"],
        reportOptions: ["--radio-loopback"])
      let network = run.signals["network"]
      // The first of the three bursts was over when it was attached to.
      for key in ["bytesSent", "bytesReceived"] {
        let truth = (run.truth[key].int ?? -9) / 3 * 2
        #expect(
          abs((network[key].int ?? 0) - truth) <= 1,
          "\(key): \(network) \(run.report["capture"]["unavailable"])")
      }
      #expect(!network["sends"].exists)
      #expect(network["bursts"].items.count == 2, "\(network["bursts"])")
      #expect(run.audit("chatty-protocol")["status"].string == "notMeasured")
      let missing = network["missing"].string
      #expect((missing?.contains("whose they were is not known") == true) == hasNeighbour)
      for id in ["bytes-transferred", "radio-duty-cycle"] {
        #expect((run.audit(id)["status"].string == "notMeasured") == hasNeighbour, "\(id)")
      }
    }
  }
}
