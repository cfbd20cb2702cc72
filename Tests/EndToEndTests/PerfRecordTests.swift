import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// What stock perf recorded of a program whose hangs are known.
  @Suite(.enabled(if: Machine.isRoot && Machine.hasPerf, Machine.needsPerf))
  struct PerfRecord {
    /// What is recorded, and the options that say of it what stacks it has.
    struct Form: CustomTestStringConvertible {
      var testDescription: String
      var events: [String]
      var stacks: [String] = []
      var names = false
    }

    static let forms = [
      Form(
        testDescription: "stacks of switches",
        events: ["sched:sched_switch", "sched:sched_waking", "syscalls:sys_exit_write"],
        stacks: ["--call-graph", "dwarf,2048"], names: true),
      Form(
        testDescription: "calls without stacks",
        events: ["sched:sched_switch", "raw_syscalls:sys_enter", "raw_syscalls:sys_exit"]),
      Form(
        testDescription: "ends of calls without stacks",
        events: ["sched:sched_switch", "raw_syscalls:sys_exit"]),
    ]

    @Test(arguments: forms, [("lock", "lock"), ("sleep", "sleep"), ("child", "child")])
    func `each hang is one, of its length and cause`(
      form: Form, cause: (String, String)
    ) throws {
      let scratch = try Scratch()
      let trace = scratch.file("perf.data")
      let words =
        ["perf", "record", "-q", "-m", "16M", "-k", "CLOCK_MONOTONIC"] + form.stacks
        + form.events.flatMap { ["-e", $0] } + ["-o", trace, "--"]
      let result = try Command.run(
        words + [Machine.workload, "blocker", "cause=\(cause.0)", "count=4", "ms=350", "gap=250"])
      try #require(result.status == 0, "\(result.errors)")
      let truth = try JSON(lastLineOf: result.text)["spans"].items.map {
        (($0["endNs"].double ?? 0) - ($0["startNs"].double ?? 0)) / 1e9
      }
      let main = try Recorded.report(trace)["signals"]["mainThread"]
      #expect(main["hasEventLoop"].bool == true)
      let hangs = main["hangs"].items
      try #require(hangs.count == 4 && truth.count == 4, "\(main)")
      for (hang, length) in zip(hangs, truth) {
        #expect(isNear(hang, length), "\(hang) of \(length) s")
        let blocked = hang["blockedByCause"]
        #expect((blocked[cause.1].double ?? 0) > 0.95 * length, "\(hang)")
        if form.names {
          #expect(
            hang["stack"].items.contains {
              $0["module"].string?.contains("lull-workload") == true
            }, "\(hang)")
        }
      }
    }

    /// The main thread of a report: its hangs with their causes, and the program's function that each is blamed on.
    private func hangs(_ trace: String) throws -> (main: JSON, hangs: [JSON]) {
      let main = try Recorded.report(trace)["signals"]["mainThread"]
      return (main, main["hangs"].items)
    }

    // It recorded perf's own writes (272 MB in 6 s), and its trace had no event loop and waits for nothing known.
    @Test(arguments: ["lock", "sleep", "child", "network"])
    func `the command that is printed records each hang as Lull does, in a trace of like size`(
      cause: String
    ) throws {
      let scratch = try Scratch()
      let trace = scratch.file("perf.data")
      let workload = "blocker cause=\(cause) count=4 ms=350 gap=250"
      let own = try Recorded(workload: workload)
      let printed = try Command.run([Machine.lull, "record", "--print-perf-command"]).text
      let line = printed.replacing("trace.perf.data", with: "'\(trace)'")
        .replacing("COMMAND", with: "'\(Machine.workload)' \(workload)")
      EarlierRecordings.settle()
      let result = try Command.run(["sh", "-c", line])
      try #require(result.status == 0, "\(result.errors)")
      let truth = try JSON(lastLineOf: result.text)["spans"].items.map {
        (($0["endNs"].double ?? 0) - ($0["startNs"].double ?? 0)) / 1e9
      }
      let (stock, stockHangs) = try hangs(trace)
      let (main, ownHangs) = try hangs(own.trace)
      #expect(stock["hasEventLoop"].bool == true && main["hasEventLoop"].bool == true, "\(stock)")
      try #require(stockHangs.count == 4 && ownHangs.count == 4 && truth.count == 4, "\(stock)")
      for ((one, other), length) in zip(zip(stockHangs, ownHangs), truth) {
        #expect(isNear(one, length), "\(one) of \(length) s")
        let causes = [one, other].map { $0["blockedByCause"][cause].double ?? 0 }
        #expect(causes.allSatisfy { $0 > 0.95 * length }, "\(one) \(other)")
        #expect(one["severity"].string == other["severity"].string)
        let blamed = [one, other].map { hang in
          hang["stack"].items.first {
            $0["module"].string?.contains("lull-workload") == true
          }?["function"].string
        }
        #expect(blamed[0] != nil && blamed[0] == blamed[1], "\(one) \(other)")
      }
      let sizes = try [trace, own.trace].map {
        try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int ?? 0
      }
      #expect(sizes[0] < 3 * sizes[1], "\(sizes)")
    }

    /// Four threads write to one file and four map memory, as they may only one after another.
    private static let locked = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <pthread.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      #include <unistd.h>
      static int fd;
      static void *writes(void *unused) {
        char *bytes = malloc(1 << 20);
        for (int i = 0; i < 40; i++) if (pwrite(fd, bytes, 1 << 20, 0) < 0) _exit(2);
        return 0;
      }
      static void *maps(void *unused) {
        for (int i = 0; i < 300; i++) {
          char *page = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          for (int k = 0; k < 1 << 20; k += 4096) page[k] = 1;
          munmap(page, 1 << 20);
        }
        return 0;
      }
      int main(int count, char **words) {
        pthread_t threads[8];
        fd = open(words[1], O_RDWR | O_CREAT, 0600);
        for (int i = 0; i < 8; i++) pthread_create(threads + i, 0, i < 4 ? writes : maps, 0);
        for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """

    // The end of a lock that was spun for amid a wait was taken for the wait's own: 11 ms of 153 were missing.
    @Test func `what perf lock recorded is blocked for as long as perf says of the same file`()
      throws
    {
      let scratch = try Scratch()
      let program = try scratch.program("locked", Self.locked, ["-g", "-pthread"])
      let trace = scratch.file("lock.data")
      let recorded = try Command.run([
        "perf", "lock", "record", "-o", trace, "--", program, scratch.file("written"),
      ])
      try #require(recorded.status == 0, "\(recorded.errors)")
      // Columns: how often, the whole wait and its unit, two more of these, the kind of lock, the caller.
      let said = try Command.run(["perf", "lock", "contention", "-i", trace])
      var (waits, seconds, mutexes, roundings) = (0, 0.0, 0.0, 0.0)
      let units = ["ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1]
      // perf says it as one of its notices.
      for line in (said.text + said.errors).split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard words.count > 7, let count = Int(words[0]), let value = Double(words[1]),
          let unit = units[words[2]],
          ["mutex", "rwsem", "percpu", "semaphore", "rt-mutex"].contains(where: {
            words[7].hasPrefix($0)
          })
        else { continue }
        waits += count
        seconds += value * unit
        // Each is shown to two places, and Lull's stacks to microseconds.
        roundings += 0.005 * unit + 0.5e-6 * Double(count)
        // Of a mutex perf counts what was spun too.
        if words[7] == "mutex" { mutexes += value * unit }
      }
      try #require(waits > 100 && seconds > 0.02, "\(said)")
      let exported = try Command.run([
        Machine.lull, "export", trace, "--format", "folded", "--what", "offcpu",
      ])
      try #require(exported.status == 0, "\(exported.errors)")
      let told =
        exported.text.split(separator: "\n")
        .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +) / 1e6
      #expect(
        told <= seconds + roundings && told >= seconds - mutexes - roundings,
        "\(told) s, and by perf \(seconds) s, of which \(mutexes) s for mutexes")
    }

    /// The build ids that a file's mappings have, by the file's path; those without one are left out.
    private static func buildIDs(in trace: String) throws -> [String: Set<String>] {
      let listed = try Command.run(["perf", "script", "--show-mmap-events", "-i", trace])
      var found: [String: Set<String>] = [:]
      for line in listed.text.split(separator: "\n") where line.contains("PERF_RECORD_MMAP2") {
        guard let open = line.firstIndex(of: "<"), let close = line.firstIndex(of: ">"),
          let path = line.split(separator: " ").last
        else { continue }
        found[String(path), default: []].insert(String(line[line.index(after: open)..<close]))
      }
      return found
    }

    /// By readelf, of binutils.
    private static func buildID(of path: String) throws -> String? {
      try Command.run(["readelf", "-n", path]).text.split(separator: "\n")
        .first { $0.contains("Build ID:") }?.split(separator: " ").last.map(String.init)
    }

    // The kernel leaves the mark of a build id in what it tells others of the same mapping: perf aborted beside Lull.
    @Test(.enabled(if: Machine.hasReadelf, Machine.needsReadelf), arguments: ["auto", "perf"])
    func `perf records beside it, and both have what was mapped`(recorder: String) throws {
      let scratch = try Scratch()
      let (own, others) = (scratch.file("own.data"), scratch.file("others.data"))
      let run = try Command.run([
        Machine.lull, "record", "--no-report", "--recorder", recorder, "-o", own, "--", "sh", "-c",
        "perf record -q -e task-clock -o \(others) -- ls / && "
          + "perf record -q -a --buildid-mmap -o \(others).all -- ls / && /bin/date",
      ])
      #expect(run.status == 0, "\(run.errors)")
      let mapped = try Self.buildIDs(in: own)
      for program in ["ls", "date"] {
        let path = try #require(mapped.keys.first { $0.hasSuffix("/bin/\(program)") }, "\(mapped)")
        #expect(try mapped[path] == Set([Self.buildID(of: path)].compactMap(\.self)), "\(path)")
      }
      #expect(mapped.count > 5, "\(mapped)")
      for (path, ids) in mapped {
        #expect(try ids == Set([Self.buildID(of: path)].compactMap(\.self)), "\(path)")
      }
    }

    @Test func `of switches alone nothing is said of hangs, and there is no score`() throws {
      let scratch = try Scratch()
      let trace = scratch.file("perf.data")
      let result = try Command.run([
        "perf", "record", "-q", "-e", "sched:sched_switch", "-o", trace, "--", Machine.workload,
        "blocker", "cause=sleep", "count=2", "ms=300", "gap=200",
      ])
      try #require(result.status == 0, "\(result.errors)")
      let report = try Recorded.report(trace)
      #expect(report["score"]["overall"].double == nil)
      let hangs = report["audits"].items.first { $0["id"].string == "main-thread-hangs" }
      #expect(hangs?["status"].string == "notMeasured")
    }
  }
}
