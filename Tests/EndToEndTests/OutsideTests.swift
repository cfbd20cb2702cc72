import Foundation
import Testing
import TraceModel

extension EndToEnd {
  /// Recordings by looks at threads from outside, where no event can be opened and no library preloaded.
  @Suite(.enabled(if: Rung.areThere, Rung.needsTools))
  struct Outside {
    /// Attaches to a program that was started before, in a place with few rights.
    private func attach(
      _ workload: String, in rung: Rung, options: [String] = ["--recorder", "outside"],
      reportOptions: [String] = []
    ) throws -> (truth: JSON, report: JSON, origin: Double) {
      try attach(
        program: [Machine.workload] + workload.split(separator: " ").map(String.init), in: rung,
        options: options, reportOptions: reportOptions)
    }

    private func attach(
      program: [String], in rung: Rung, options: [String], reportOptions: [String]
    ) throws -> (truth: JSON, report: JSON, origin: Double) {
      let scratch = try Scratch()
      let script = """
        out=$1 lull=$2 trace=$3 options=$4; shift 4
        "$@" > "$out" & target=$!
        sleep 0.3
        "$lull" record -q --pid $target -o "$trace" $options || exit 9
        wait $target
        """
      let (out, trace) = (scratch.file("out"), scratch.file("t"))
      let words =
        rung.words(writingTo: scratch) + [
          "sh", "-c", script, "attach", out, Machine.lull, trace,
          options.joined(separator: " "),
        ] + program
      let result = try Command.run(words)
      try #require(result.status == 0, "\(result.errors)")
      let truth = try JSON(
        lastLineOf: String(decoding: try Data(contentsOf: URL(fileURLWithPath: out)), as: UTF8.self)
      )
      let origin = Double(try Trace.load(path: trace).start.nanoseconds)
      return (truth, try Recorded.report(trace, options: reportOptions), origin)
    }

    /// The hangs that overlap what the program timed itself, and how long that was.
    private func hangs(
      _ run: (truth: JSON, report: JSON, origin: Double)
    ) throws -> [(hang: JSON, length: Double)] {
      func seconds(_ time: JSON) -> Double { ((time.double ?? 0) - run.origin) / 1e9 }
      let all = run.report["signals"]["mainThread"]["hangs"].items
      return try run.truth["spans"].items.map { span in
        let (start, end) = (seconds(span["startNs"]), seconds(span["endNs"]))
        let found = all.filter {
          let from = $0["start"].double ?? 0
          return from < end && from + ($0["durationSeconds"].double ?? 0) > start
        }
        return (
          try #require(
            found.count == 1 ? found.first : nil, "\(start)–\(end): \(all.count) hangs in all"),
          end - start
        )
      }
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

    @Test func `what a server's short connections carry is told exactly`() throws {
      let scratch = try Scratch()
      let source = scratch.file("server.c")
      // Each connection lives for less than a millisecond.
      try Data(
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
          usleep(1500000);
          for (int i = 0; i < 40; i++) {
            int client = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(client, (void *)&name, sizeof name)) return 2;
            int server = accept(listener, 0, 0);
            send(client, bytes, 100, 0);
            recv(server, bytes, sizeof bytes, MSG_WAITFORONE);
            send(server, bytes, 5000, 0);
            close(server);
            while (recv(client, bytes, sizeof bytes, 0) > 0) {}
            close(client);
            usleep(15000);
          }
          usleep(300000);
          return 0;
        }
        """.utf8
      ).write(to: URL(fileURLWithPath: source))
      let program = scratch.file("server")
      let built = try Command.run(["cc", "-O1", "-o", program, source])
      try #require(built.status == 0, "\(built.errors)")
      let run = try attach(
        program: [program], in: .user, options: ["--recorder", "outside", "--radio-loopback"],
        reportOptions: ["--radio-loopback"])
      let network = run.report["signals"]["network"]
      let server = network["connections"].items.filter {
        ($0["bytesSent"].int ?? 0) == 5000 && abs(($0["bytesReceived"].int ?? 0) - 100) <= 1
      }
      #expect(server.count == 40, "\(network) \(run.report["capture"]["unavailable"])")
    }

    @Test(arguments: [Rung.user, .dockerUser])
    func `a static program is looked at from outside`(rung: Rung) throws {
      let scratch = try Scratch()
      let source = scratch.file("static.c")
      try Data(
        """
        #include <unistd.h>
        static __attribute__((noinline)) int inner(int length) { return usleep(length) + 1; }
        __attribute__((noinline)) int outer(int length) { return inner(length) + 1; }
        int main(void) { return outer(300000) + outer(200000) == 4 ? 0 : 1; }
        """.utf8
      ).write(to: URL(fileURLWithPath: source))
      let built = try Command.run([
        "cc", "-O1", "-g", "-static", "-o", scratch.file("static"), source,
      ])
      try #require(built.status == 0, "\(built.errors)")
      let run = try Recorded(
        [scratch.file("static")], in: rung.words(writingTo: scratch), scratch: scratch)
      #expect(run.result.status == 0)
      #expect(isNear(run.mainThread["blockedByCause"]["sleep"].double, 0.5, slack: 0.015))
      let stacks = try Command.run([
        Machine.lull, "export", run.trace, "--format", "folded", "--what", "offcpu",
      ])
      #expect(stacks.text.contains("main;outer;inner"), "\(stacks.text)")
      #expect(run.audit("bytes-written")["status"].string == "notMeasured")
    }

    @Test func `computing is running time`() throws {
      let run = try attach("blocker cause=compute count=3 ms=300 gap=1000", in: .user)
      let spans = run.truth["spans"].items
      for ((hang, length), span) in zip(try hangs(run), spans) {
        #expect(abs((hang["durationSeconds"].double ?? 0) - length) < 0.015, "\(hang) of \(length)")
        let used = (span["cpuNs"].double ?? 0) / 1e9
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

    @Test func `what TCP sockets carry is told exactly`() throws {
      let run = try attach(
        "bursty bursts=3 messages=20 bytes=2000 reply=3000 gap=2000", in: .user,
        options: ["--recorder", "outside", "--radio-loopback"], reportOptions: ["--radio-loopback"])
      let network = run.report["signals"]["network"]
      // The first of the three bursts was over when it was attached to.
      for key in ["bytesSent", "bytesReceived"] {
        let truth = (run.truth[key].int ?? -9) / 3 * 2
        #expect(abs((network[key].int ?? 0) - truth) <= 1, "\(key): \(network)")
      }
      #expect(!network["sends"].exists)
      #expect(network["bursts"].items.count == 2, "\(network["bursts"])")
      let chatty = run.report["audits"].items.first { $0["id"].string == "chatty-protocol" }
      #expect(chatty?["status"].string == "notMeasured")
    }
  }
}
