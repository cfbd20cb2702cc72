import Foundation
import Testing

extension EndToEnd {
  @Suite struct Wakeups {
    /// The wakeups of each thread that perf saw system-wide, after the thread's last exec.
    private func perfWakeups(
      beside words: [String], scratch: Scratch
    ) throws -> (result: CommandResult, wakeups: [Int: Int]) {
      let data = scratch.file("beside.data")
      // perf looks for tracefs where it may not be mounted: mount it out of everybody's sight.
      let script = """
        { [ -e /sys/kernel/tracing/events ] || mount -t tracefs t /sys/kernel/tracing; } &&
        exec perf record -q -a -m 2048 -e sched:sched_wakeup,sched:sched_process_exec \
        -o "$0" -- "$@"
        """
      let result = try Command.run(["unshare", "-m", "sh", "-c", script, data] + words)
      try #require(result.status == 0, "perf record: \(result.errors)")
      let listing = try Command.run(["perf", "script", "-i", data, "-F", "event,trace"])
      var wakeups: [Int: Int] = [:]
      for line in listing.text.split(separator: "\n") {
        func number(after key: String) -> Int? {
          line.range(of: key).flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
        }
        if line.contains("sched_process_exec") {
          if let pid = number(after: " pid=") { wakeups[pid] = 0 }
        } else if let pid = number(after: " pid=") {
          wakeups[pid, default: 0] += 1
        }
      }
      return (result, wakeups)
    }

    @Test(
      .enabled(if: Machine.hasPerf, Machine.needsPerf),
      arguments: [
        "poller hz=50 seconds=2", "poller hz=100 seconds=2 main=0",
        "blocker cause=lock count=5 ms=50 gap=50", "chatty messages=50 gap=10",
      ])
    func `each thread's wakeups equal those of a system-wide perf record`(
      workload: String
    ) throws {
      let scratch = try Scratch()
      let trace = scratch.file("t.perf.data")
      let words =
        [Machine.lull, "record", "-q", "-o", trace, "--", Machine.workload]
        + workload.split(separator: " ").map(String.init)
      let (_, expected) = try perfWakeups(beside: words, scratch: scratch)
      let report = try Recorded.report(trace)
      let threads = report["signals"]["threads"].items
      try #require(!threads.isEmpty)
      for thread in threads {
        let tid = try #require(thread["tid"].int)
        #expect(thread["wakeups"].int == expected[tid, default: 0], "\(thread)")
      }
      let total = threads.compactMap { $0["wakeups"].int }.reduce(0, +)
      #expect(report["signals"]["wakeups"]["total"].int == total)
    }

    @Test func `a poller's timer is found with its period`() throws {
      let run = try Recorded(workload: "poller hz=50 seconds=3")
      let timer = run.signals["wakeups"]["timers"].items
        .max { ($0["count"].int ?? 0) < ($1["count"].int ?? 0) }
      #expect(isNear(timer?["periodSeconds"].double, 0.02, slack: 0.0005), "\(run.signals)")
      #expect((timer?["count"].int ?? 0) >= 140)
      #expect((run.signals["wakeups"]["byCause"]["timer"].int ?? 0) >= 140)
    }

    @Test func `causes add up to all wakeups`() throws {
      let run = try Recorded(workload: "chatty messages=30 gap=10")
      let wakeups = run.signals["wakeups"]
      let causes = wakeups["byCause"]
      let sum = causes.keys.compactMap { causes[$0].int }.reduce(0, +)
      #expect(sum == wakeups["total"].int)
      #expect((wakeups["idle"].int ?? 0) <= (wakeups["total"].int ?? 0))
    }
  }
}
