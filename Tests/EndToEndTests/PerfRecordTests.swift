import Foundation
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
