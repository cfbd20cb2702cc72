import Foundation
import Testing

extension EndToEnd {
  @Suite struct Wakeups {
    @Test(
      .enabled(if: Machine.hasPerf, Machine.needsPerf),
      .enabled(if: PerfBeside.clearCPU != nil, PerfBeside.needsClearCPU),
      arguments: [
        "poller hz=50 seconds=2", "poller hz=100 seconds=2 main=0",
        "blocker cause=lock count=5 ms=50 gap=50", "chatty messages=50 gap=10",
      ])
    func `each thread's wakeups equal those of a system-wide perf record`(
      workload: String
    ) throws {
      // The kernel of some machines keeps a few of the wakes from perf; not in every run.
      var differences: [String] = []
      for _ in 0..<6 {
        differences = try compare(workload)
        if differences.isEmpty { return }
      }
      Issue.record("wakeups differ from perf's: \(differences)")
    }

    /// Records a workload under Lull and beside it under perf; gives the threads whose wakeups differ.
    private func compare(_ workload: String) throws -> [String] {
      let scratch = try Scratch()
      let trace = scratch.file("t.perf.data")
      let words =
        [Machine.lull, "record", "-q", "-o", trace, "--", Machine.workload]
        + workload.split(separator: " ").map(String.init)
      let pinned = ["taskset", "-c", "\(PerfBeside.clearCPU ?? 0)"]
      let (_, expected) = try PerfBeside.wakeups(running: pinned + words, scratch: scratch)
      let report = try Recorded.report(trace)
      let threads = report["signals"]["threads"].items
      try #require(!threads.isEmpty)
      let total = threads.compactMap { $0["wakeups"].int }.reduce(0, +)
      #expect(report["signals"]["wakeups"]["total"].int == total)
      return try threads.compactMap { thread in
        let tid = try #require(thread["tid"].int)
        let (own, perfs) = (thread["wakeups"].int ?? -1, expected[tid, default: 0])
        return own == perfs ? nil : "\(thread["name"]): \(own) and \(perfs)"
      }
    }

    @Test func `a poller's timer is found with its period`() throws {
      let run = try Recorded(workload: "poller hz=50 seconds=3")
      let timer = run.signals["wakeups"]["timers"].items
        .max { ($0["count"].int ?? 0) < ($1["count"].int ?? 0) }
      #expect(isNear(timer?["periodSeconds"].double, 0.02, slack: 0.0005), "\(run.signals)")
      #expect((timer?["count"].int ?? 0) >= 140)
      #expect((run.signals["wakeups"]["byCause"]["timer"].int ?? 0) >= 140)
    }

    @Test(arguments: [
      "appender writes=60 bytes=33 gap=20 path=PATH", "blocker cause=lock count=6 ms=110 gap=200",
    ])
    func `a timer that something is done at is no polling`(workload: String) throws {
      let scratch = try Scratch()
      let run = try Recorded(
        workload: workload.replacing("PATH", with: scratch.file("log")), scratch: scratch)
      let timers = run.signals["wakeups"]["timers"].items
      #expect(timers.contains { ($0["count"].int ?? 0) >= 5 }, "\(timers)")
      #expect(timers.allSatisfy { ($0["expiredWithoutWork"].int ?? 9) <= 1 }, "\(timers)")
      #expect(run.audit("polling-timers")["status"].string != "fail")
    }

    @Test func `a task that sleeps and looks is named, though libdispatch waits for it`() throws {
      let run = try Recorded([Machine.asyncWorkload, "mode=poll", "count=150", "gap=20"])
      let timers = run.signals["wakeups"]["timers"].items
      // It goes on inside of Task.sleep, which returns to it.
      let own = timers.filter {
        $0["stack"].items.first?["function"].string?.contains("runPolling") == true
      }
      let counts = own.compactMap { $0["count"].int }.reduce(0, +)
      #expect((130...150).contains(counts), "\(timers)")
      #expect(own.allSatisfy { isNear($0["periodSeconds"].double, 0.0204, slack: 0.001) })
      let idle = own.compactMap { $0["expiredWithoutWork"].int }.reduce(0, +)
      #expect(idle > 100 && idle <= counts, "\(timers)")
      #expect(run.audit("polling-timers")["status"].string == "fail")
    }

    @Test
    func `three timers of one descriptor are told apart, each with its period and its function`()
      throws
    {
      let run = try Recorded([Machine.asyncWorkload, "mode=timers", "count=90", "gap=100"])
      let timers = run.signals["wakeups"]["timers"].items
      func timer(_ seconds: Double) -> JSON? {
        timers.first { isNear($0["periodSeconds"].double, seconds, slack: 0.002) }
      }
      // What the handler sleeps for is another timer, at the end of which nothing is done.
      let working = timers.first {
        isNear($0["periodSeconds"].double, 0.25, slack: 0.002)
          && $0["stack"].items.first?["function"].string?.contains("runTimers") == true
      }
      // The first and the last may be cut off, and those that come with another's expiry are one with it.
      #expect((working?["expiredWithoutWork"].int ?? 99) <= 2, "\(timers)")
      #expect((28...38).contains(working?["count"].int ?? 0), "\(timers)")
      let empty = try #require(timer(1), "\(timers)")
      #expect(
        (7...10).contains(empty["count"].int ?? 0) && empty["expiredWithoutWork"].int ?? 0 >= 6)
      let polling = timer(0.1004)
      #expect((80...90).contains(polling?["count"].int ?? 0), "\(timers)")
      #expect(
        polling?["stack"].items.first?["function"].string?.contains("runPolling") == true,
        "\(timers)")
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
