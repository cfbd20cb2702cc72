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
